//! Verger: rules decide when to interrupt, a model only finds the words.
//!
//! The map, from the inside out; each layer may use those before it and never those after:
//!
//! - [`engine`]: the rule language and its evaluation. Knows nothing of files, clocks or networks.
//! - [`connectors`]: foreign formats to recorded days. Reads from what it is handed, opens nothing.
//! - [`payment`]: what a payment table says about a request. Moves nothing, keeps no ledger.
//! - [`render`]: diagnostics, decisions and traces to text, JSON, SARIF, GitHub annotations.
//! - [`cli`]: one file a command; the only part that opens files and prints.

pub mod cli;
pub mod connectors;
pub mod engine;
pub mod payment;
pub mod render;
