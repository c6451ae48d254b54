//! One file a command, one row each.

pub mod import;
