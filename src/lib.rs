//! Verger: rules decide when to interrupt, a model only finds the words.
//!
//! The map, from the inside out; each layer may use those before it and never those after:
//!
//! - [`engine`]: the rule language and its evaluation. Knows nothing of files, clocks or networks.
//! - [`payment`]: what a payment table says about a request. Moves nothing, keeps no ledger.
//! - [`config`]: settings files to typed entries. Knows no kind of connector, reads no secret.
//! - [`connectors`]: foreign formats to recorded days. Reads from what it is handed, opens nothing.
//! - [`render`]: diagnostics, decisions and rules to text, JSON, SARIF, GitHub annotations.
//! - `store`: the journal in a database file. Only with the feature `shell`.
//! - `shell`: the watch: clock, network, files, programs. Only with the feature `shell`.
//! - [`cli`]: one file a command; the only part that opens files and prints.

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests read fixtures; what ships is linted without `cfg(test)` and stays pure"
    )
)]

pub mod cli;
pub mod config;
pub mod connectors;
pub mod engine;
#[cfg(test)]
mod oracles;
pub mod payment;
pub mod render;
#[cfg(feature = "shell")]
pub mod shell;
#[cfg(feature = "shell")]
pub mod store;
