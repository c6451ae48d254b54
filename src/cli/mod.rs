//! One file a command, one row each.
