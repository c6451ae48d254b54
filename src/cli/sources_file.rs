//! `connectors.toml` as its file: read against the kinds that there are and the names of the rules.

use std::path::Path;

use super::files::{self, FilesError};
use crate::config::connectors::may_be_secret;
use crate::config::{Entry, KindRow, Known, Watching, read_connectors};
use crate::connectors::source::kinds;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::rule_set::RuleSet;
use crate::engine::source::{SourceFile, Sources};

/// The name of the file in a working folder.
pub(super) const NAME: &str = "connectors.toml";

/// Reads it and adds it to the files that findings speak of. Without a sound set names are not looked at.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn read(
    path: &Path,
    rules: Option<&RuleSet>,
    sources: &mut Sources,
) -> Result<(Vec<Entry>, Watching, Vec<Diagnostic>), FilesError> {
    let text = files::read_text(path)?;
    let kinds = kinds();
    // An excerpt must not show what was meant to be kept elsewhere.
    let file = sources.add(SourceFile::new(path.display().to_string(), masked(&text, &kinds)));
    let names: Option<Vec<&str>> = rules.map(|rules| {
        let signals = rules.signals.iter().filter(|signal| !signal.builtin).map(|signal| &*signal.name);
        signals.chain(rules.streams.iter().map(|stream| &*stream.name)).collect()
    });
    Ok(read_connectors(&text, file, Known { kinds: &kinds, names: names.as_deref() }))
}

/// The text with all letters and digits of values that may be secrets as `*`. Places stay where they are.
fn masked(text: &str, kinds: &[KindRow]) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let key = line.split('=').next().unwrap_or_default().trim();
        if key.starts_with(['[', '#']) || !may_be_secret(key, kinds) {
            out.push_str(line);
            continue;
        }
        let mut value = false;
        for letter in line.chars() {
            out.push(if value && letter.is_ascii_alphanumeric() { '*' } else { letter });
            value |= letter == '=';
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{kinds, masked};

    #[test]
    fn a_secret_in_the_wrong_place_is_not_shown() {
        let text = "[source.a]\nkind = \"ics\"\npasswort = \"hunter2\nurl = 'https://x/y'\n";
        assert_eq!(
            masked(text, &kinds()),
            "[source.a]\nkind = \"ics\"\npasswort = \"*******\nurl = '*****://*/*'\n"
        );
    }
}
