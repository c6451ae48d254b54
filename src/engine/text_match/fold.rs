//! Folding of text and the edges of words.
//!
//! Folding is the compatibility caseless form of the Unicode Standard (section 3.13, D146: decompose, fold
//! case, decompose, fold case), composed again so that `か` is not found inside `が`, without invisible
//! characters, and with every run of blanks as one blank. No locale is asked: Turkish folds like everything
//! else.
//!
//! INVARIANT: `fold(fold(x)) == fold(x)`.

use caseless::Caseless;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The form in which texts and entries are compared.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return with_single_blanks(
            text.bytes().map(|byte| char::from(byte.to_ascii_lowercase())),
            text.len(),
        );
    }
    let seen = text.chars().filter(|letter| !is_invisible(*letter));
    let folded = seen.nfd().default_case_fold().nfkd().default_case_fold();
    // Composing may follow only once the case is folded twice: `㎆` decomposes to letters with a case.
    with_single_blanks(folded.nfkc().filter(|letter| !is_invisible(*letter)), text.len())
}

fn with_single_blanks(letters: impl Iterator<Item = char>, length: usize) -> String {
    let mut out = String::with_capacity(length);
    let mut in_blank = false;
    for letter in letters {
        let blank = letter.is_whitespace();
        if !blank {
            out.push(letter);
        } else if !in_blank {
            out.push(' ');
        }
        in_blank = blank;
    }
    out
}

/// True when a word may begin or end between two neighbours; `None` is the end of the text.
pub(super) fn is_edge(before: Option<char>, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return true };
    !(is_word(before) && is_word(after)) || is_spaceless(before) || is_spaceless(after)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || (!letter.is_ascii() && is_combining_mark(letter))
}

/// Characters that show nothing (Default_Ignorable_Code_Point), such as soft hyphens and joiners.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Scripts that are written without spaces between words: Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar
/// (by the blocks of the Unicode Standard; compatibility forms are gone after folding).
fn is_spaceless(letter: char) -> bool {
    matches!(letter,
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{19E0}'..='\u{19FF}'
        | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303B}'
        | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}' | '\u{F900}'..='\u{FAFF}'
        | '\u{1AFF0}'..='\u{1B16F}' | '\u{20000}'..='\u{3FFFF}')
}
