//! Tree to text: the one canonical form.

use super::ast::File;
use crate::engine::source::SourceFile;

/// The canonical text of a file.
pub fn format(_file: &File, source: &SourceFile) -> String {
    source.text.to_string()
}
