//! Values to what people and tools read.
//!
//! Returns text and prints nothing: `cli` owns the streams. Never reads a clock, a file or the environment;
//! whether to use colour and in which zone to write an instant are arguments. The same value gives the same
//! bytes.

pub mod diagnostics;
pub mod explain;
pub mod log;
pub mod terminal;

/// A value as one line of compact JSON, without a line break.
pub(crate) fn json_line(value: &impl serde::Serialize) -> String {
    // Fails only for keys that are no text, which no shape here has; the reason is then shown, not hidden.
    serde_json::to_string(value)
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string())
}
