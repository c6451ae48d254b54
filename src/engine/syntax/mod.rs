//! Text to tree and back.

pub mod ast;
mod format;

pub use format::format;
