//! Apple Health's exports as a live source: of a folder the newest counts.
//!
//! Which file is read when is `whole_files`; how one is read is this folder.

use super::KIND;
use crate::connectors::health::SIGNALS;
use crate::connectors::source::SourceKind;
use crate::connectors::whole_files::{self, WholeFiles};

/// Its row.
pub const SOURCE: SourceKind = SourceKind {
    name: "apple-health",
    about: "Exports of Apple Health: of a folder the newest counts",
    options: whole_files::OPTIONS,
    gives: SIGNALS,
    every: Some(EVERY_MS),
    check: whole_files::check,
    begin: |settings, begin| FILES.begin(settings, &begin),
};

/// Time between two looks at the folder, in milliseconds; a change is noticed at once.
const EVERY_MS: i64 = 3_600_000;

const FILES: WholeFiles =
    WholeFiles { import: &KIND, extensions: &["zip", "xml"], newest_only: true, home_zone: true };
