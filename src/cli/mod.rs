//! One file a command, one row each.

pub mod days;
pub mod import;
