//! Text to tree and back.
//!
//! [`parse`] reads a whole file and never gives up on it: `cut` finds the definitions and their clauses,
//! `parse` turns each into its part of the tree, and each that cannot be read costs one diagnostic.
//! [`format()`] writes the canonical text of a tree, comments included.

pub mod ast;
mod cut;
mod faults;
mod file;
mod format;
mod parse;
#[cfg(test)]
mod tests;

pub use file::{FILE_BYTES_MAX, parse, parse_all};
pub use format::{format, format_item};
