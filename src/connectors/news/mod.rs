//! What a story is: one piece of news of one company, however often and wherever it is told.
//!
//! Two tellings are one story when they are of one company, no further apart than [`TOLD_WITHIN_HOURS`], and
//! have equal titles (without case, punctuation and blanks) or equal paths of their addresses (without what
//! only tracks readers). Such tellings get one id, within a read, over reads and over sources, so the engine
//! takes the second as a revision of the first; see [`known`].
//!
//! A filing 8-K and the press release about the same thing share neither title nor address, and come from two
//! sources that are read apart, so no read alone can see that they are one. [`same_story`] says it of any two
//! (within [`FILING_WITHIN_MINUTES`]). A rule can leave the filing out when the release is known already:
//!
//! ```text
//! when n.form = "8-K"
//! and  no r in news.item within last 2h where (r.company = n.company and r.form is missing)
//! ```
//!
//! Never looks into a text further than its letters; never asks for the time.
//!
//! Invariants: an id depends on company, title and the week of publication, so that a title which comes every
//! quarter is not taken for the story of the last one; what is told is bounded in length and holds no tags.

pub mod known;
pub mod text;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use caseless::Caseless as _;
use chrono::{DateTime, FixedOffset, Offset as _, TimeDelta, Utc};
use chrono_tz::Tz;
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization as _;
use url::Url;

use super::recorded_day::{DayRecord, DayRecordKind, FieldValue};

/// The stream that news is told in.
pub const STREAM: &str = "news.item";
/// Characters of a title.
pub const TITLE_MAX: usize = 200;
/// Characters of a summary.
pub const SUMMARY_MAX: usize = 600;
/// Bytes of an address; a longer one is none.
pub const URL_MAX: usize = 2_000;
/// Hours after which news is not told any more, and tellings of one title are two stories.
pub const TOLD_WITHIN_HOURS: i64 = 72;
/// Minutes between a filing and the release about it.
pub const FILING_WITHIN_MINUTES: i64 = 120;

/// Weeks are counted from a Sunday 06:00 UTC: at that hour hardly a company publishes, so two tellings of one
/// story hardly ever fall into two weeks.
const WEEK_BEGINS_S: i64 = (3 * 24 + 6) * 3_600;
const WEEK_S: i64 = 7 * 24 * 3_600;

/// Bytes of a hash that are kept, two digits each.
const HASH_BYTES: usize = 10;

/// A telling of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewsItem {
    /// Its story's id.
    pub id: String,
    /// Whose story it is, where that is known.
    pub company: Option<String>,
    /// At most [`TITLE_MAX`] characters.
    pub title: String,
    /// Name of a filing's form.
    pub form: Option<String>,
    /// Where it can be read.
    pub url: String,
    /// When it was published.
    pub published: DateTime<Utc>,
    /// At most [`SUMMARY_MAX`] characters.
    pub summary: Option<String>,
}

impl NewsItem {
    /// Its line of a recorded day that was learnt at `at`.
    #[must_use]
    pub fn to_line(&self, at: DateTime<Utc>, zone: Tz) -> String {
        let text = |text: &String| FieldValue::Text(text.clone());
        let fields = [
            ("company", self.company.as_ref().map(text)),
            ("title", Some(text(&self.title))),
            ("form", self.form.as_ref().map(text)),
            ("url", Some(text(&self.url))),
            ("published", Some(FieldValue::Instant(local(self.published, zone)))),
            ("summary", self.summary.as_ref().map(text)),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        let kind = DayRecordKind::Item { stream: STREAM, id: self.id.clone(), fields };
        DayRecord { at: local(at, zone), observed: None, kind }.to_json_line()
    }
}

fn local(at: DateTime<Utc>, zone: Tz) -> DateTime<FixedOffset> {
    let local = at.with_timezone(&zone);
    local.with_timezone(&local.offset().fix())
}

/// True for what was published too long ago to be told.
#[must_use]
pub fn is_past(published: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    now.signed_duration_since(published) > TimeDelta::hours(TOLD_WITHIN_HOURS)
}

/// True when two tellings are of one story.
#[must_use]
pub fn same_story(a: &NewsItem, b: &NewsItem) -> bool {
    let company = |item: &NewsItem| item.company.as_deref().map(title_key).filter(|key| !key.is_empty());
    let Some(of) = company(a).filter(|of| Some(of) == company(b).as_ref()) else { return false };
    let apart = a.published.signed_duration_since(b.published).abs();
    if apart <= TimeDelta::minutes(FILING_WITHIN_MINUTES) && is_filing(a) != is_filing(b) {
        // An amendment or a yearly report is news of its own; only an 8-K repeats what a release says.
        let other = if is_filing(a) { b } else { a };
        if other.form.is_none() {
            return true;
        }
    }
    // Two filings of one form are titled alike and are told apart by their documents.
    let titles = a.form.is_none() && b.form.is_none() && story_title(&of, a) == story_title(&of, b);
    let paths = path_key(&a.url).is_some_and(|path| Some(path) == path_key(&b.url));
    apart <= TimeDelta::hours(TOLD_WITHIN_HOURS) && (titles || paths)
}

fn is_filing(item: &NewsItem) -> bool {
    item.form.as_deref() == Some("8-K")
}

fn story_title(company: &str, item: &NewsItem) -> String {
    story_id(company, &item.title, DateTime::UNIX_EPOCH)
}

/// The id of a story: of whom, what and in which week.
#[must_use]
pub fn story_id(scope: &str, title: &str, published: DateTime<Utc>) -> String {
    let week = published.timestamp().saturating_sub(WEEK_BEGINS_S).div_euclid(WEEK_S);
    format!("news:{}", hash(&[&title_key(scope), &title_key(title), &week.to_string()]))
}

/// The letters and digits of a text, folded, with single blanks between words; all of it where it has none.
#[must_use]
pub fn title_key(title: &str) -> String {
    let folded: String = title.nfkd().default_case_fold().nfkc().collect();
    let mut key = String::with_capacity(folded.len());
    // An apostrophe is inside of a word: `Moody's` and `Moody’s` are not two.
    let letters = folded.chars().filter(|letter| !matches!(letter, '\'' | '’' | '\u{ad}' | '\u{200b}'));
    for letter in letters {
        if letter.is_alphanumeric() {
            key.push(letter);
        } else if !key.is_empty() && !key.ends_with(' ') {
            key.push(' ');
        }
    }
    let key = key.trim_end();
    if key.is_empty() { title.trim().to_owned() } else { key.to_owned() }
}

/// What of an address names a story: its path and the parts of its query that do not track readers. `None`
/// where that is the front page.
#[must_use]
pub fn path_key(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let mut parts: Vec<_> = url.query_pairs().filter(|(name, _)| !tracks(name)).collect();
    parts.sort_unstable();
    let path = url.path().trim_end_matches('/').to_owned();
    let front = ["", "/index.html", "/index.htm", "/index.php"].contains(&path.as_str());
    if front && parts.is_empty() {
        return None;
    }
    let mut key = path;
    for (name, value) in parts {
        // Writing to a string cannot fail.
        let _ = write!(key, "\u{1f}{name}={value}");
    }
    Some(key)
}

/// Parts of a query that say where a reader comes from.
fn tracks(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "fbclid",
        "gclid",
        "dclid",
        "msclkid",
        "mc_cid",
        "mc_eid",
        "ref",
        "ref_src",
        "referrer",
        "rss",
        "feed",
        "source",
        "src",
        "cmpid",
        "cmp",
        "ncid",
        "guccounter",
        "igshid",
        "mkt_tok",
        "ftag",
        "ito",
        "smid",
        "af",
        "partner",
        "cid",
        "campaign",
        "ocid",
        "taid",
        "sref",
        "yptr",
        "soc_src",
        "tsrc",
        "feedtype",
        "feedname",
    ];
    let name = name.to_ascii_lowercase();
    name.starts_with("utm_") || name.starts_with("at_") || NAMES.contains(&name.as_str())
}

/// A short name of some texts, which differs where one of them does.
#[must_use]
pub fn hash(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part.as_bytes());
    }
    digest.finalize().iter().take(HASH_BYTES).fold(String::new(), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// An address that can be followed, whole, or `None`: `http` and `https` alone, of bounded length.
#[must_use]
pub fn web_address(written: &str, base: Option<&Url>) -> Option<String> {
    let written = written.trim();
    if written.is_empty() || written.len() > URL_MAX {
        return None;
    }
    let url = match Url::parse(written) {
        Err(url::ParseError::RelativeUrlWithoutBase) => base?.join(written).ok()?,
        other => other.ok()?,
    };
    if !["http", "https"].contains(&url.scheme()) || url.host_str().is_none_or(str::is_empty) {
        return None;
    }
    // As it was written where nothing had to be put right, since an address is compared letter by letter.
    let plain = written.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\' && byte != b'"');
    let whole = plain
        && ["http://", "https://"]
            .iter()
            .any(|scheme| written.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme)));
    let address = if whole { written } else { url.as_str() };
    (address.len() <= URL_MAX).then(|| address.to_owned())
}
