//! Everything that runs while Verger watches: the clock, the network, files, programs, and the loop that
//! feeds the engine. The only user of tokio, reqwest, rmcp and what notifies.
//!
//! True always:
//! - One event at a time reaches the engine ([`agent::Agent::handle`]); all waiting is outside of it, in
//!   [`watch`]. So the same loop runs on a virtual clock in tests.
//! - Nothing is handed over before the transaction that decided it is on the disk.
//! - One watch at a time has a data folder ([`lock`]); the system releases it when the process ends, however.
//! - A source that hangs, lies or breaks fails alone: each read has its limits and its own task.
//!
//! Absent: what a kind of source means (`connectors`), what is decided (`engine`), how rows are stored
//! (`store`).

pub mod agent;
pub mod alarm;
pub mod deliver;
pub mod files;
pub mod folder;
pub mod lock;
pub mod receive;
pub mod secret;
pub mod sources;
pub mod supervisor;
pub mod transport;
pub mod try_source;
pub mod watch;
