//! Apple Health's `export.xml`, alone or inside `export.zip`.
//!
//! Reads one XML event at a time; only records at the top level count, because correlations repeat them. The
//! document type is skipped, entities are never expanded, and nothing is written to disk. An export's time
//! stamps carry the offset of the phone at export: only the zone that a record names itself is its place.
//!
//! The file may be gigabytes long: what is kept is compact and bounded, see [`super::health`].

mod archive;
mod clean;
mod record;
mod source;
#[cfg(test)]
mod tests;

pub use archive::read_archive;
pub use source::SOURCE;

use std::io::{BufRead, BufReader, Read, SeekFrom};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use self::clean::Clean;
use self::record::{Draft, Options};
use super::health::places::ReadingZone;
use super::health::{HealthDays, HealthError, HealthRecords, SIGNALS};
use super::{ImportError, ImportKind, ImportOptions, Imported, Input};

/// Its row.
pub const KIND: ImportKind = ImportKind {
    name: "apple-health",
    about: "Apple Health's export.xml or export.zip",
    file: "The export",
    zone: "Zone of readings that name none, such as `America/Toronto`; without it the export's own offset",
    gives: SIGNALS,
    dated: false,
    complete: true,
    read: import,
};

/// An archive or the bare XML, by its first bytes.
fn import(input: &mut dyn Input, options: &ImportOptions) -> Result<Imported, ImportError> {
    let zone = options.zone.map(|zone| ReadingZone::Named(zone.0));
    let (start, mut magic) = (input.stream_position()?, Vec::new());
    Read::take(&mut *input, 4).read_to_end(&mut magic)?;
    input.seek(SeekFrom::Start(start))?;
    Ok(if magic.starts_with(b"PK") {
        read_archive(input, zone)?.into()
    } else {
        read_xml(BufReader::with_capacity(128 << 10, input), zone)?.into()
    })
}

/// Elements may nest this deep.
const DEPTH_MAX: usize = 64;
/// Bytes that one element's tag or one text may have.
const EVENT_BYTES_MAX: usize = 1 << 20;

/// Why an export cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AppleHealthError {
    /// The reader failed.
    #[error("cannot read the export: {0}")]
    Read(std::io::Error),
    /// Not an export.
    #[error("no `<HealthData` in the first MiB: this is not Apple Health's export.xml")]
    NotAnExport,
    /// The file was cut off.
    #[error("the export ends in the middle, after {0} bytes: it is truncated; export it again")]
    Truncated(u64),
    /// Not well-formed.
    #[error("the export is damaged at byte {at}: {what}")]
    Damaged {
        /// Position in the decompressed text.
        at: u64,
        /// What is wrong there.
        what: String,
    },
    /// Nesting.
    #[error("elements nest deeper than {DEPTH_MAX} at byte {0}: this is not an export of Apple Health")]
    TooDeep(u64),
    /// Too much of it.
    #[error(transparent)]
    Health(#[from] HealthError),
    /// The archive.
    #[error("the archive cannot be read: {0}")]
    Archive(String),
    /// A zip bomb or the like.
    #[error("the archive is refused: {0}")]
    Refused(String),
}

// By hand, because a source would be told a second time.
impl From<std::io::Error> for AppleHealthError {
    fn from(error: std::io::Error) -> Self {
        Self::Read(error)
    }
}

/// Recorded days of an `export.xml`. `zone` is that of records that name none; without it they keep the
/// offset that is written.
///
/// # Errors
/// When it is no export, is damaged or cut off, or exceeds a limit.
pub fn read_xml(input: impl BufRead, zone: Option<ReadingZone>) -> Result<HealthRecords, AppleHealthError> {
    let mut reader = Reader::from_reader(Clean::after_doctype(input)?);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.check_comments = false;
    let mut export = Export { days: HealthDays::default(), options: Options { zone }, draft: None, depth: 0 };
    let mut buffer = Vec::with_capacity(4096);
    loop {
        buffer.clear();
        reader.get_mut().begin_event();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(event) => event,
            Err(error) => return Err(damage(&reader, error)),
        };
        let at = reader.buffer_position();
        match event {
            Event::Start(tag) => export.open(&tag, at)?,
            Event::Empty(tag) => {
                export.open(&tag, at)?;
                export.close()?;
            }
            Event::End(_) => export.close()?,
            Event::Eof if export.depth > 0 => return Err(AppleHealthError::Truncated(at)),
            Event::Eof => return Ok(export.days.finish()),
            Event::DocType(_) => {
                let what = "a document type inside the data".to_owned();
                return Err(AppleHealthError::Damaged { at, what });
            }
            // Text is indentation; entities in it are left as they are.
            _ => {}
        }
    }
}

fn damage<R: BufRead>(reader: &Reader<Clean<R>>, error: quick_xml::Error) -> AppleHealthError {
    let at = reader.error_position();
    match error {
        quick_xml::Error::Io(error) => AppleHealthError::Read(std::io::Error::new(error.kind(), error)),
        quick_xml::Error::Syntax(_) => AppleHealthError::Truncated(at),
        other => AppleHealthError::Damaged { at, what: other.to_string() },
    }
}

/// What is known in the middle of the file.
struct Export {
    days: HealthDays,
    options: Options,
    /// The record at the top level that is open now.
    draft: Option<Draft>,
    depth: usize,
}

impl Export {
    fn open(&mut self, tag: &BytesStart<'_>, at: u64) -> Result<(), AppleHealthError> {
        self.depth += 1;
        match (self.depth, tag.name().as_ref()) {
            (2, "Record") => self.draft = Draft::of(tag, &mut self.days),
            // About the export, or records once more.
            (2, "ExportDate" | "Me" | "Correlation") => {}
            (2, other) => self.days.left_out.add(other, 1),
            (3, "MetadataEntry") => {
                if let Some(draft) = &mut self.draft {
                    draft.read_metadata(tag);
                }
            }
            (depth, _) if depth > DEPTH_MAX => return Err(AppleHealthError::TooDeep(at)),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), AppleHealthError> {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 1
            && let Some(draft) = self.draft.take()
        {
            draft.finish(self.options, &mut self.days)?;
        }
        Ok(())
    }
}
