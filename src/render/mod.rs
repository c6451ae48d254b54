//! Values to what people and tools read.
//!
//! Returns text and prints nothing: `cli` owns the streams. Never reads a clock, a file or the environment;
//! whether to use colour and in which zone to write an instant are arguments. The same value gives the same
//! bytes.

pub mod diagnostics;
pub mod explain;
pub mod log;
pub mod report;
pub mod terminal;
pub mod trace;

/// A value as one line of compact JSON, without a line break, safe to print.
pub(crate) fn json_line(value: &impl serde::Serialize) -> String {
    // Fails only for keys that are no text, which no shape here has; the reason is then shown, not hidden.
    let text = serde_json::to_string(value)
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string());
    json_escaped(text)
}

/// JSON text with what a terminal would obey or hide written as `\u202E`: the same value, since outside of
/// strings JSON has no such characters. Line breaks and tabs between its tokens stay.
fn json_escaped(text: String) -> String {
    let unsafe_here = |c: char| c >= '\u{7F}' && terminal::hidden(c);
    if !text.contains(unsafe_here) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if unsafe_here(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04X}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::json_line;

    #[test]
    fn json_is_safe_to_print_and_keeps_its_value() {
        let text = "a\u{1b}\u{7f}\u{9b}\u{202E}\u{2028}\u{200B}\u{E0041}\r\n é 👩‍👩‍👧";
        let line = json_line(&text);
        assert_eq!(line, "\"a\\u001b\\u007F\\u009B\\u202E\\u2028\\u200B\\uDB40\\uDC41\\r\\n é 👩‍👩‍👧\"");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
