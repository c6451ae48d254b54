//! `connectors.toml` as its file: read against the kinds that there are and the names of the rules.

use std::path::Path;

use super::files::{self, FilesError};
use crate::config::{Entry, Known, Watching, read_connectors};
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
    let file = sources.add(SourceFile::new(path.display().to_string(), text.as_str()));
    let kinds = kinds();
    let names: Option<Vec<&str>> = rules.map(|rules| {
        let signals = rules.signals.iter().filter(|signal| !signal.builtin).map(|signal| &*signal.name);
        signals.chain(rules.streams.iter().map(|stream| &*stream.name)).collect()
    });
    Ok(read_connectors(&text, file, Known { kinds: &kinds, names: names.as_deref() }))
}
