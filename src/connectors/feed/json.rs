//! Entries of a JSON Feed, versions 1 and 1.1.
//!
//! Bad input: an item that is no object is passed over; a field of another type is absent.

use serde_json::Value;

use super::entry::{Entry, Written};
use super::xml::{Document, ENTRIES_MAX};

/// Reads a document.
///
/// # Errors
/// In the reader's words, when it is no JSON, or JSON of something else.
pub(super) fn read(text: &str) -> Result<Document, String> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("the JSON breaks off or is damaged at line {}", error.line()))?;
    let Some(items) = value.get("items").and_then(Value::as_array) else {
        return Err("this is JSON, but no JSON Feed: it has no `items`".to_owned());
    };
    let entries: Vec<Entry> =
        items.iter().filter(|item| item.is_object()).take(ENTRIES_MAX).map(entry).collect();
    Ok(Document { beyond: items.len().saturating_sub(ENTRIES_MAX), broken: false, entries })
}

fn entry(item: &Value) -> Entry {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let mut entry = Entry::default();
    match item.get("id") {
        Some(Value::String(id)) => entry.set_guid(0, id),
        Some(Value::Number(id)) => entry.set_guid(0, &id.to_string()),
        _ => {}
    }
    for (rank, key) in [(0, "url"), (1, "external_url"), (2, "id")] {
        if let Some(link) = text(key).filter(|link| rank < 2 || link.starts_with("http")) {
            entry.set_link(rank, link);
        }
    }
    if let Some(title) = text("title") {
        entry.set_title(0, Written::Plain, title.to_owned());
    }
    let summaries = [
        (0, Written::Plain, "summary"),
        (1, Written::Plain, "content_text"),
        (2, Written::Markup, "content_html"),
    ];
    for (rank, written, key) in summaries {
        if let Some(summary) = text(key) {
            entry.set_summary(rank, written, summary.to_owned());
        }
    }
    if let Some(date) = text("date_published") {
        entry.set_published(0, date);
    }
    if let Some(date) = text("date_modified") {
        entry.set_updated(0, date);
    }
    entry
}
