//! `export.zip`: finds the export in it and streams it out.
//!
//! Nothing is extracted to disk. What counts is what was read, not what the archive claims: a member that
//! grows beyond [`RATIO_MAX`] times its packed size, or beyond [`UNPACKED_BYTES_MAX`], ends the import.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use zip::ZipArchive;
use zip::result::ZipError;

use super::{AppleHealthError, read_xml};
use crate::connectors::health::HealthRecords;
use crate::connectors::health::places::ReadingZone;

/// Health exports shrink to a thirtieth or so.
const RATIO_MAX: u64 = 200;
/// Below this much text no ratio is asked.
const RATIO_FROM_BYTES: u64 = 16 << 20;
/// More than any real export.
const UNPACKED_BYTES_MAX: u64 = 4 << 30;
/// Members looked at before giving up.
const MEMBERS_MAX: usize = 100_000;
/// Members whose beginning is read in search of the export.
const CANDIDATES_MAX: usize = 8;
/// How much of a member's beginning is read: the document type is some 20 kB.
const SNIFF_BYTES: u64 = 256 << 10;

/// Recorded days of the export inside an archive. See [`read_xml`] for `zone`.
///
/// # Errors
/// As [`read_xml`]; also when the archive is damaged, holds no export, is encrypted, or looks like a bomb.
pub fn read_archive(
    mut input: impl Read + Seek,
    zone: Option<ReadingZone>,
) -> Result<HealthRecords, AppleHealthError> {
    let archive_bytes = input.seek(SeekFrom::End(0))?;
    input.rewind()?;
    let mut archive = ZipArchive::new(input).map_err(broken)?;
    let member = find_export(&mut archive)?;
    let file = archive.by_index(member).map_err(broken)?;
    let packed = file.compressed_size().min(archive_bytes).max(1);
    let mut bounded = Bounded { input: file, packed, read: 0, refused: None };
    let days = read_xml(BufReader::with_capacity(128 << 10, &mut bounded), zone);
    match (bounded.refused, days) {
        (Some(reason), Err(_)) => Err(AppleHealthError::Refused(reason)),
        (_, days) => days,
    }
}

fn broken(error: ZipError) -> AppleHealthError {
    match error {
        ZipError::UnsupportedArchive(reason) => AppleHealthError::Archive(reason.to_string()),
        ZipError::Io(error) => AppleHealthError::Read(error),
        other => AppleHealthError::Archive(other.to_string()),
    }
}

/// The number of the member that holds the export: `export.xml`, or any `.xml` with the right root, because
/// some languages translate the name; the largest first.
fn find_export<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Result<usize, AppleHealthError> {
    if archive.len() > MEMBERS_MAX {
        return Err(AppleHealthError::Refused(format!("it has more than {MEMBERS_MAX} members")));
    }
    let mut candidates = Vec::new();
    for index in 0..archive.len() {
        let Ok(member) = archive.by_index_raw(index) else { continue };
        let name = String::from_utf8_lossy(member.name_raw()).to_lowercase();
        let file = name.rsplit('/').next().unwrap_or_default();
        if file.ends_with(".xml") && !file.ends_with("_cda.xml") && member.is_file() {
            candidates.push((file != "export.xml", std::cmp::Reverse(member.size()), index));
        }
    }
    candidates.sort_unstable();
    let mut failure = None;
    for (_, _, index) in candidates.into_iter().take(CANDIDATES_MAX) {
        match starts_export(archive, index) {
            Ok(true) => return Ok(index),
            Ok(false) => {}
            Err(error) => failure = Some(error),
        }
    }
    let none = "it holds no export.xml of Apple Health".to_owned();
    Err(failure.unwrap_or(AppleHealthError::Archive(none)))
}

fn starts_export<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    index: usize,
) -> Result<bool, AppleHealthError> {
    let mut beginning = Vec::new();
    archive.by_index(index).map_err(broken)?.take(SNIFF_BYTES).read_to_end(&mut beginning)?;
    Ok(memchr::memmem::find(&beginning, b"<HealthData").is_some())
}

/// Stops at a bomb.
struct Bounded<R> {
    input: R,
    packed: u64,
    read: u64,
    refused: Option<String>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        self.read = self.read.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        let reason = if self.read > UNPACKED_BYTES_MAX {
            Some("its export is larger than 4 GiB".to_owned())
        } else if self.read > RATIO_FROM_BYTES && self.read / self.packed > RATIO_MAX {
            Some(format!("its export grows to more than {RATIO_MAX} times its packed size"))
        } else {
            None
        };
        match reason {
            Some(reason) => {
                self.refused = Some(reason.clone());
                Err(io::Error::new(io::ErrorKind::InvalidData, reason))
            }
            None => Ok(read),
        }
    }
}
