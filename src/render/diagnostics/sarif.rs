//! SARIF 2.1.0 (OASIS standard, 2020): one document with one run, for code scanning services.
//!
//! Every id of the catalogue is a rule of the tool, found or not; an id outside of it is listed bare, so that
//! each result has its rule. Columns are Unicode code points and the run says so.

use serde_json::{Value, json};

use super::{FormatDef, Place, Report};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::{Sources, Span};

/// The row.
pub(super) const DEF: FormatDef =
    FormatDef { name: "sarif", about: "One SARIF 2.1.0 document", findings_max: None, render };

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

fn render(report: &Report<'_>) -> String {
    let mut ids: Vec<&str> = report.catalogue.iter().map(|entry| entry.id).collect();
    let mut rules: Vec<Value> = report
        .catalogue
        .iter()
        .map(|entry| {
            json!({
                "id": entry.id,
                "shortDescription": { "text": entry.summary },
                "help": { "text": entry.explanation },
            })
        })
        .collect();
    for finding in report.findings {
        if !ids.contains(&finding.id) {
            ids.push(finding.id);
            rules.push(json!({ "id": finding.id }));
        }
    }
    let results: Vec<Value> =
        report.findings.iter().map(|finding| result(finding, &ids, report.sources)).collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    // The alternate form is indented, as one reads a document.
    crate::render::json_escaped(format!("{document:#}\n"))
}

fn result(finding: &Diagnostic, ids: &[&str], sources: &Sources) -> Value {
    let level = finding.severity.word();
    let text = match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    };
    let mut result = json!({
        "ruleId": finding.id,
        "ruleIndex": ids.iter().position(|id| *id == finding.id),
        "level": level,
        "message": { "text": text },
        "locations": locations(finding.span, sources),
    });
    let related: Vec<Value> = finding
        .related
        .iter()
        .flat_map(|(span, words)| {
            locations(*span, sources).into_iter().map(move |mut location| {
                if let Some(object) = location.as_object_mut() {
                    object.insert("message".to_owned(), json!({ "text": words }));
                }
                location
            })
        })
        .collect();
    if let Some(object) = result.as_object_mut().filter(|_| !related.is_empty()) {
        object.insert("relatedLocations".to_owned(), Value::Array(related));
    }
    result
}

/// One location, or none when the file is none of the sources.
fn locations(span: Span, sources: &Sources) -> Vec<Value> {
    if sources.get(span.file).is_none() {
        return Vec::new();
    }
    let place = Place::of(span, sources);
    vec![json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(place.file) },
            "region": {
                "startLine": place.line,
                "startColumn": place.column,
                "endLine": place.end_line,
                "endColumn": place.end_column,
            },
        },
    })]
}

/// A path as a URI reference: relative as given, `file://` in front of an absolute one. All but the
/// unreserved characters and `/` of RFC 3986 are percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri("rules/a b#.rule"), "rules/a%20b%23.rule");
        assert_eq!(uri("/home of/ü.rule"), "file:///home%20of/%C3%BC.rule");
    }
}
