//! Bytes of a feed to text.
//!
//! The byte-order mark decides, then how the first letters lie, then the charset of the answer, then the XML
//! declaration, then UTF-8. A name that the bytes themselves contradict is passed over.
//!
//! Bad input: what no named encoding can read without a fault is read as UTF-8 with marks for the faults, or
//! as windows-1252 when most of it is no UTF-8. Never refuses.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes in which the declaration is looked for.
const DECLARATION_MAX: usize = 1_024;

/// How 32-bit text lies.
#[derive(Clone, Copy)]
enum Wide {
    Big,
    Little,
}

/// The text; `content_type` is the header of the answer.
#[must_use]
pub(super) fn to_text(bytes: &[u8], content_type: Option<&str>) -> String {
    let text = match bytes {
        [0, 0, 0xfe, 0xff, rest @ ..] => wide(rest, Wide::Big),
        [0xff, 0xfe, 0, 0, rest @ ..] => wide(rest, Wide::Little),
        [0, 0, 0, b'<' | b'{', ..] => wide(bytes, Wide::Big),
        [b'<' | b'{', 0, 0, 0, ..] => wide(bytes, Wide::Little),
        _ => narrow(bytes, content_type),
    };
    match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    }
}

fn wide(bytes: &[u8], order: Wide) -> String {
    let (letters, rest) = bytes.as_chunks::<4>();
    let numbers = letters.iter().map(|letter| match order {
        Wide::Big => u32::from_be_bytes(*letter),
        Wide::Little => u32::from_le_bytes(*letter),
    });
    let mut text: String =
        numbers.map(|number| char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

fn narrow(bytes: &[u8], content_type: Option<&str>) -> String {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(length..).unwrap_or_default();
        return encoding.decode_without_bom_handling(rest).0.into_owned();
    }
    let lies = match bytes {
        [0, first, ..] if *first != 0 => Some(UTF_16BE),
        [first, 0, ..] if *first != 0 => Some(UTF_16LE),
        _ => None,
    };
    if let Some(encoding) = lies {
        return encoding.decode_without_bom_handling(bytes).0.into_owned();
    }
    let named = [content_type.and_then(charset), declared(bytes)];
    // Text that lies in single bytes is no UTF-16, whoever says so.
    let named = named.into_iter().flatten().filter(|encoding| encoding.is_ascii_compatible());
    for encoding in named.chain([UTF_8]) {
        if let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes) {
            return text.into_owned();
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let count = |of: fn(char) -> bool| text.chars().filter(|letter| of(*letter)).count();
    let faults = count(|letter| letter == char::REPLACEMENT_CHARACTER);
    let sound = count(|letter| !letter.is_ascii()).saturating_sub(faults);
    if faults <= sound {
        return text.into_owned();
    }
    WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()
}

/// `charset` of a content type.
fn charset(content_type: &str) -> Option<&'static Encoding> {
    let mut parameters = content_type.split(';').skip(1).filter_map(|part| part.split_once('='));
    let (_, value) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    known(value.trim().trim_matches(['"', '\'']))
}

/// `encoding` of the XML declaration.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..bytes.len().min(DECLARATION_MAX))?;
    let head: String =
        head.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect();
    let (_, declaration) = head.split_once("<?xml")?;
    let (declaration, _) = declaration.split_once("?>")?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    known(value.strip_prefix(quote)?.split(quote).next()?.trim())
}

fn known(label: &str) -> Option<&'static Encoding> {
    // Names that feeds use and the web's list does not have.
    let label = match label.to_ascii_lowercase().as_str() {
        "u8" | "utf_8" => "utf-8",
        "gb2312_charset" | "gb_2312-80" => "gb2312",
        _ => label,
    };
    Encoding::for_label(label.as_bytes())
}
