//! A news feed: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed.
//!
//! One request a read, conditional on what the last one left: nothing new, no lines. Each entry that has a
//! title, an `http(s)` address and a date becomes a line of `news.item` as long as it is young enough to be
//! told; tellings of one story are one line, see [`news`](super::news). The same lines come with every read
//! that brings a new copy; what did not change is not news to whoever takes them.
//!
//! Own reading instead of a feed library: those refuse a whole feed for one odd element, and their names for
//! entries without one are drawn by chance.
//!
//! Never follows a link. Bad input: a page of HTML or another document is a failure with its reason; a feed
//! that breaks off gives the entries before, is not taken for an empty one and is asked for again.

mod date;
mod decode;
mod entry;
mod json;
mod names;
mod tell;
mod xml;

#[cfg(test)]
mod date_tests;
#[cfg(test)]
mod oracle_tests;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use url::Url;

use super::news::hash;
use super::news::known::Stories;
use super::source::{
    Answer, Ask, Begin, Conversation, Failure, HttpReply, HttpRequest, Memory, Reading, SourceKind, Step,
    Validators, failure_of,
};
use crate::config::{Form, OptionDef, Settings, Written};

/// Its row.
pub const SOURCE: SourceKind = SourceKind {
    name: "feed",
    about: "A news feed: RSS, Atom or JSON Feed",
    options: &[
        OptionDef::required("url", Form::Url, "The feed"),
        OptionDef::optional("company", Form::Text, "Whose news it is; written into each item"),
        OptionDef::optional("entries", Form::Number(1, 500), "How many of the newest entries [default: 100]"),
        OptionDef::optional("allow-private", Form::Flag, "May lie in the own network"),
    ],
    gives: &[super::news::STREAM],
    every: Some(15 * 60_000),
    check: |settings| {
        let sound = settings.text("url").is_none_or(|url| url.starts_with("http"));
        if sound { Ok(()) } else { Err("`url` of a feed begins with `https://` or `http://`".to_owned()) }
    },
    begin: |settings, begin| Box::new(Feed::begin(settings, &begin)),
};

/// Entries where the owner does not say.
const ENTRIES: usize = 100;

const ACCEPT: &str = "application/atom+xml, application/rss+xml, application/feed+json, \
     application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.1";

/// What is kept from read to read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// Hash of address and company: of another feed nothing is known.
    of: String,
    validators: Validators,
    stories: Stories,
}

struct Feed {
    url: String,
    /// True when the address is kept elsewhere, and so is a secret.
    secret: bool,
    company: Option<String>,
    entries: usize,
    allow_private: bool,
    at: DateTime<Utc>,
    zone: Tz,
    kept: Kept,
    asked: bool,
}

impl Feed {
    fn begin(settings: &Settings, begin: &Begin) -> Self {
        let url = settings.text("url").unwrap_or_default().to_owned();
        let company = settings.text("company").map(str::trim).filter(|company| !company.is_empty());
        let of = hash(&[&url, company.unwrap_or_default()]);
        let kept: Kept = begin.memory.read();
        let kept = if kept.of == of { kept } else { Kept { of, ..Kept::default() } };
        Self {
            secret: matches!(settings.written("url"), Some(Written::Secret(_))),
            url,
            company: company.map(str::to_owned),
            entries: settings.number("entries").and_then(|n| usize::try_from(n).ok()).unwrap_or(ENTRIES),
            allow_private: settings.flag("allow-private"),
            at: begin.at,
            zone: begin.zone,
            kept,
            asked: false,
        }
    }

    fn request(&self) -> HttpRequest {
        HttpRequest {
            headers: vec![("Accept", ACCEPT.to_owned())],
            validators: self.kept.validators.clone(),
            allow_private: self.allow_private,
            ..HttpRequest::get(self.url.clone())
        }
    }

    fn take(&mut self, reply: &HttpReply) -> Result<Reading, Failure> {
        if let Some(failure) = failure_of(reply.status, reply.retry_after) {
            return Err(failure);
        }
        if reply.status == 304 {
            return Ok(Reading { memory: Memory::of(&self.kept), ..Reading::default() });
        }
        // Addresses in a feed are told; that of the feed itself may be a secret.
        let address = if reply.url.is_empty() { &self.url } else { &reply.url };
        let base = Url::parse(address).ok().map(|url| if self.secret { front_of(url) } else { url });
        let document = read(&reply.body, reply.content_type.as_deref(), base.as_ref())?;
        let whole = !document.broken;
        let host = base.as_ref().and_then(Url::host_str).unwrap_or_default();
        let telling = tell::Telling {
            company: self.company.as_deref(),
            // Without a company, two feeds of one host may tell one story.
            scope: self.company.as_deref().unwrap_or(host.trim_start_matches("www.")),
            entries: self.entries,
            base: base.as_ref(),
            at: self.at,
            zone: self.zone,
        };
        let (lines, notes) = telling.of(document, &mut self.kept.stories);
        // What broke off is asked for again, as if it had never come.
        self.kept.validators = if whole { reply.validators.clone() } else { Validators::default() };
        Ok(Reading { lines, notes, memory: Memory::of(&self.kept), ..Reading::default() })
    }
}

impl Conversation for Feed {
    fn next(&mut self, answer: Option<Answer>) -> Result<Step, Failure> {
        match answer {
            None if !self.asked => {
                self.asked = true;
                Ok(Step::Ask(Ask::Http(self.request())))
            }
            Some(Answer::Http(reply)) => Ok(Step::Done(self.take(&reply)?)),
            Some(other) => Err(super::source::unexpected(&other)),
            None => Err(Failure::Broken("the read was begun twice".to_owned())),
        }
    }
}

/// Bytes as a document.
fn read(bytes: &[u8], content_type: Option<&str>, base: Option<&Url>) -> Result<xml::Document, Failure> {
    let text = decode::to_text(bytes, content_type);
    let failed = |reason: String| Err(Failure::NotUnderstood(reason));
    let body = text.trim_start();
    if body.is_empty() {
        return failed("the answer is empty, not a feed".to_owned());
    }
    if body.starts_with(['{', '[']) {
        return json::read(body).map_or_else(failed, Ok);
    }
    match xml::read(&text, base) {
        Ok(document) if document.broken && document.entries.is_empty() => {
            failed("the feed breaks off before its first entry ends".to_owned())
        }
        Ok(document) => Ok(document),
        Err(root) if root == "html" => {
            failed("the answer is a web page (HTML), not a feed: check the address".to_owned())
        }
        Err(root) if root.is_empty() => {
            failed("the answer is text, not a feed: check the address".to_owned())
        }
        Err(root) => failed(format!("the answer is XML that begins with `<{root}>`, not a feed")),
    }
}

/// Only the host of an address, without name and password.
fn front_of(mut url: Url) -> Url {
    url.set_path("/");
    url.set_query(None);
    url.set_fragment(None);
    // Only an address without a host refuses these.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}
