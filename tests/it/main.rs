//! The integration tests: one binary, one module a subject.
//!
//! What a user could see or type is tested here, over the built program and the library's public face; the
//! parts are tested beside themselves. Each module is under `cfg(test)` so that the lints know tests as such.
#![expect(clippy::disallowed_methods, reason = "tests start the program and read its files")]
#![expect(clippy::disallowed_types, reason = "tests are servers and clients of the program")]

#[cfg(test)]
mod cli;
#[cfg(test)]
mod engine_corpus;
#[cfg(test)]
mod engine_days;
#[cfg(test)]
mod engine_delivery;
#[cfg(test)]
mod engine_values;
#[cfg(test)]
mod for_states;
#[cfg(test)]
mod imports;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod manual;
#[cfg(test)]
#[path = "../../src/oracles.rs"]
mod oracles;
#[cfg(test)]
mod payment_tables;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod render;
#[cfg(test)]
#[cfg(feature = "shell")]
mod sources_http;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tidy;
#[cfg(test)]
#[cfg(all(feature = "shell", unix))]
mod watch;
