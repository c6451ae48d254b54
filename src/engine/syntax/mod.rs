//! Text to tree and back.
//!
//! [`parse`] never gives up at the first error: it returns what could be read and a finding for each thing
//! that could not. Nothing here resolves a name, knows a unit's scale or asks whether a rule makes sense.
//!
//! INVARIANT: no text makes [`parse`] panic, recurse deeper than [`NESTING_MAX`] levels of the language or
//! take more than linear time; every span lies on character boundaries.

pub mod ast;
mod cut;
mod format;
mod grammar;
mod nearest;
mod parse;
mod report;
mod template;
#[cfg(test)]
mod tests;

pub use format::format;
pub use nearest::nearest;
pub use parse::parse;

/// Longest file that is read, in bytes.
pub const FILE_BYTES_MAX: usize = 1 << 20;

/// Longest definition that is read, in bytes.
pub const DEFINITION_BYTES_MAX: usize = 64 << 10;

/// How deep brackets, `not`, `of` and chains of arithmetic may nest.
pub const NESTING_MAX: usize = 64;
