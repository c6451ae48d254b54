//! Settings files: text to typed entries, each mistake with its place.
//!
//! Which keys an entry may have comes in as rows ([`OptionDef`]), so no connector is named here. Never opens
//! a file, never reads a secret: a reference stays one until the shell resolves it.
//!
//! Bad input: an unknown key, a wrong type, a missing key, an unknown kind or name is an error at its place,
//! with the nearest known word; the rest is read on.

pub mod connectors;
pub mod lints;
pub mod options;
pub mod settings;

#[cfg(test)]
mod tests;

pub use connectors::{Entry, KindRow, Known, Watching, read_connectors};
pub use lints::LINTS;
pub use options::{Form, OptionDef};
pub use settings::{SecretRef, Setting, Settings, Written};
