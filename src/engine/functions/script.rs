//! Functions of a rule set, written in Rhai and kept in a sandbox.

/// A compiled script.
#[derive(Clone, Debug, Default)]
pub struct Script {}
