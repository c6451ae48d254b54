//! Text to tree and back.

pub mod ast;
mod scratch;
pub use scratch::parse;
