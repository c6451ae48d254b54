//! A company's filings from the columns of its submissions file.
//!
//! Bad input: what is no such file, or has columns of unequal length, is refused whole, since one shifted
//! column would give every filing another one's date. A cell that is null is empty.
//!
//! Invariant: an address leads to the SEC's archive, whatever a cell holds.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;

use super::accepted::{Written, usual};
use super::forms;

/// Filings of a file.
const FILINGS_MAX: usize = 20_000;
const ARCHIVE: &str = "https://www.sec.gov/Archives/edgar/data";

/// A filing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filing {
    /// `0001564590-22-034639`
    pub(super) accession: String,
    /// In its usual name.
    pub(super) form: String,
    pub(super) title: String,
    pub(super) url: String,
    pub(super) published: DateTime<Utc>,
}

#[derive(Deserialize)]
struct Submissions {
    cik: serde_json::Value,
    filings: Filings,
}

#[derive(Deserialize)]
struct Filings {
    recent: Columns,
}

type Column = Vec<Option<String>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Columns {
    accession_number: Column,
    filing_date: Column,
    acceptance_date_time: Column,
    form: Column,
    primary_document: Column,
    #[serde(default)]
    items: Option<Column>,
    #[serde(default)]
    report_date: Option<Column>,
}

/// One filing's cells.
struct Row<'c> {
    accession: &'c str,
    form: String,
    items: &'c str,
    period: &'c str,
    document: &'c str,
    filed: NaiveDate,
    accepted: &'c str,
}

/// All filings of a file, and how many rows were unsound.
///
/// # Errors
/// In the reader's words.
pub(super) fn read(bytes: &[u8], cik: i64, now: DateTime<Utc>) -> Result<(Vec<Filing>, usize), String> {
    if bytes.trim_ascii_start().starts_with(b"<") {
        return Err("the answer is a web page (HTML), not a list of filings".to_owned());
    }
    let file: Submissions = serde_json::from_slice(bytes)
        .map_err(|error| format!("the list of filings is not as expected: {error}"))?;
    let said = file.cik.as_i64().or_else(|| file.cik.as_str()?.parse().ok());
    if said != Some(cik) {
        return Err(format!("the answer is about another company than CIK {cik}"));
    }
    let columns = &file.filings.recent;
    let count = columns.accession_number.len();
    for (name, length) in columns.lengths() {
        if length != count {
            return Err(format!(
                "the list of filings is shifted: {count} of `accessionNumber`, {length} of `{name}`"
            ));
        }
    }
    if count > FILINGS_MAX {
        return Err(format!("the list has more than {FILINGS_MAX} filings"));
    }
    let rows: Vec<Row<'_>> = (0..count).filter_map(|index| columns.row(index)).collect();
    let written: Vec<Written<'_>> = rows.iter().map(Row::written).collect();
    let clock = usual(&written, now);
    let filings: Vec<Filing> = rows
        .iter()
        .zip(&written)
        .filter_map(|(row, written)| Some(row.filing(cik, written.at(clock, now)?)))
        .collect();
    let unsound = count.saturating_sub(filings.len());
    Ok((filings, unsound))
}

impl Columns {
    fn lengths(&self) -> Vec<(&'static str, usize)> {
        let mut lengths = vec![
            ("filingDate", self.filing_date.len()),
            ("acceptanceDateTime", self.acceptance_date_time.len()),
            ("form", self.form.len()),
            ("primaryDocument", self.primary_document.len()),
        ];
        lengths.extend(self.items.as_ref().map(|column| ("items", column.len())));
        lengths.extend(self.report_date.as_ref().map(|column| ("reportDate", column.len())));
        lengths
    }

    fn row(&self, index: usize) -> Option<Row<'_>> {
        let accession = cell(&self.accession_number, index);
        let filed = NaiveDate::parse_from_str(cell(&self.filing_date, index), "%Y-%m-%d").ok()?;
        is_accession(accession).then(|| Row {
            accession,
            form: forms::canonical(cell(&self.form, index)),
            items: self.items.as_ref().map(|column| cell(column, index)).unwrap_or_default(),
            period: self.report_date.as_ref().map(|column| cell(column, index)).unwrap_or_default(),
            document: cell(&self.primary_document, index),
            filed,
            accepted: cell(&self.acceptance_date_time, index),
        })
    }
}

fn cell(column: &Column, index: usize) -> &str {
    column.get(index).and_then(Option::as_deref).unwrap_or_default().trim()
}

fn is_accession(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [10, 2, 6] && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Row<'_> {
    fn written(&self) -> Written<'_> {
        Written { form: &self.form, filed: self.filed, accepted: self.accepted }
    }

    fn filing(&self, cik: i64, published: DateTime<Utc>) -> Filing {
        let folder = self.accession.replace('-', "");
        let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
        // Without a document, or with a name that could lead elsewhere, the folder that holds all of it.
        let leads = !self.document.contains("..") && self.document.chars().all(sound);
        let document = if leads { self.document } else { "" };
        let period = NaiveDate::parse_from_str(self.period, "%Y-%m-%d").map_or("", |_| self.period);
        Filing {
            accession: self.accession.to_owned(),
            title: forms::title(&self.form, self.items, period),
            url: format!("{ARCHIVE}/{cik}/{folder}/{document}"),
            form: self.form.clone(),
            published,
        }
    }
}
