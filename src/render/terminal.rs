//! What a terminal is given: safe text, coloured or not.
//!
//! Whether there is a terminal is for the caller to know.

use std::fmt::Write as _;

/// Text without tabs and without what a terminal would obey or hide.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push_str("    "),
            c if hidden(c) => {
                let _ = write!(out, "<U+{:04X}>", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// As [`shown`], but line breaks stay: for a text of several lines that has no other structure.
#[must_use]
pub fn shown_lines(text: &str) -> String {
    text.split('\n').map(shown).collect::<Vec<_>>().join("\n")
}

/// Control characters, bidi controls, blanks without width, tags. The joiners stay: scripts and emoji need
/// them.
pub(super) fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// How a part is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Headlines.
    Bold,
    /// What is wrong.
    Red,
    /// What may be wrong.
    Yellow,
    /// What surrounds the text.
    Blue,
}

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    /// False writes every text as it is.
    pub on: bool,
}

impl Paint {
    /// The text in ANSI colour (ECMA-48 SGR), or as it is.
    #[must_use]
    pub fn say(self, style: Style, text: &str) -> String {
        if !self.on {
            return text.to_owned();
        }
        let code = match style {
            Style::Bold => "1",
            Style::Red => "1;31",
            Style::Yellow => "1;33",
            Style::Blue => "1;34",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::{Paint, Style, shown};

    #[test]
    fn nothing_is_left_that_a_terminal_obeys_or_hides() {
        assert_eq!(
            shown("a\tb\u{1b}]0;x\u{7}\u{202E}\r\n"),
            "a    b<U+001B>]0;x<U+0007><U+202E><U+000D><U+000A>"
        );
        assert_eq!(shown("健身 👩‍👩‍👧 é"), "健身 👩‍👩‍👧 é");
    }

    #[test]
    fn colour_is_off_or_closed_again() {
        assert_eq!(Paint { on: false }.say(Style::Red, "x"), "x");
        assert_eq!(Paint { on: true }.say(Style::Red, "x"), "\u{1b}[1;31mx\u{1b}[0m");
    }
}
