//! A read of a source's companies, one after the other.
//!
//! Invariants: at most one question a company; a company's memory changes only with its own sound answer;
//! when a filing was published is said once and stays.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::filing::{self, Filing};
use super::{forms, is_mail};
use crate::config::Settings;
use crate::connectors::news::{NewsItem, TITLE_MAX, hash, is_past, text};
use crate::connectors::source::{
    Answer, Ask, Begin, Conversation, Failure, HttpReply, HttpRequest, Memory, Reading, Step, Validators,
    failure_of, unexpected,
};

const BASE: &str = "https://data.sec.gov";
/// Milliseconds between two requests.
const PAUSE_MS: u64 = 150;
/// Seconds for which the SEC shuts out who asked too fast.
const SHUT_OUT_S: u64 = 600;

/// What is kept of a company.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// Hash of how it was asked: of another question nothing is known.
    of: String,
    validators: Validators,
    /// When filings that were told were published, in seconds since 1970: the reading of a time may change
    /// with more filings, what was said once does not.
    told: BTreeMap<String, i64>,
}

struct Company {
    name: String,
    cik: i64,
}

/// A read under way.
pub(super) struct Edgar {
    companies: Vec<Company>,
    contact: String,
    forms: Vec<String>,
    base: String,
    allow_private: bool,
    at: DateTime<Utc>,
    zone: Tz,
    kept: BTreeMap<String, Kept>,
    /// The company that is asked for.
    next: usize,
    answered: usize,
    failed: Vec<(String, Failure)>,
    items: Vec<NewsItem>,
    notes: Vec<String>,
}

impl Edgar {
    pub(super) fn begin(settings: &Settings, begin: &Begin) -> Self {
        let company = |table: &Settings| {
            Some(Company { name: table.text("name")?.trim().to_owned(), cik: table.number("cik")? })
        };
        let mut edgar = Self {
            companies: settings.tables("companies").iter().filter_map(company).collect(),
            contact: settings.text("contact").unwrap_or_default().to_owned(),
            forms: forms::wanted(settings.texts("forms")),
            base: settings.text("base-url").unwrap_or(BASE).trim_end_matches('/').to_owned(),
            allow_private: settings.flag("allow-private"),
            at: begin.at,
            zone: begin.zone,
            kept: BTreeMap::new(),
            next: 0,
            answered: 0,
            failed: Vec::new(),
            items: Vec::new(),
            notes: Vec::new(),
        };
        let mut before: BTreeMap<String, Kept> = begin.memory.read();
        for Company { name, cik } in &edgar.companies {
            let of = hash(&[&edgar.base, name, &edgar.forms.join("\n")]);
            let kept = before.remove(&cik.to_string()).filter(|kept| kept.of == of);
            edgar.kept.insert(cik.to_string(), kept.unwrap_or(Kept { of, ..Kept::default() }));
        }
        edgar
    }

    /// The next question, or the end.
    fn go_on(&mut self) -> Result<Step, Failure> {
        let Some(Company { cik, .. }) = self.companies.get(self.next) else { return self.done() };
        let kept = self.kept.get(&cik.to_string());
        Ok(Step::Ask(Ask::Http(HttpRequest {
            headers: vec![("User-Agent", format!("Verger/{} ({})", env!("CARGO_PKG_VERSION"), self.contact))],
            validators: kept.map(|kept| kept.validators.clone()).unwrap_or_default(),
            allow_private: self.allow_private,
            pause_ms: if self.next == 0 { 0 } else { PAUSE_MS },
            ..HttpRequest::get(format!("{}/submissions/CIK{cik:010}.json", self.base))
        })))
    }

    fn take(&mut self, reply: &HttpReply) -> Result<Step, Failure> {
        let Some(Company { name, cik }) = self.companies.get(self.next) else { return self.done() };
        let (name, cik) = (name.clone(), *cik);
        self.next = self.next.saturating_add(1);
        match refusal(reply) {
            None => {}
            Some(failure @ (Failure::Forbidden(_) | Failure::Busy { .. })) => {
                self.failed.push((name, failure));
                // Who refuses one company refuses the others, and asks not to be asked.
                return self.done();
            }
            Some(failure) => {
                self.failed.push((name, failure));
                return self.go_on();
            }
        }
        if reply.status == 304 {
            self.answered = self.answered.saturating_add(1);
            return self.go_on();
        }
        match filing::read(&reply.body, cik, self.at) {
            Ok((filings, unsound)) => {
                self.answered = self.answered.saturating_add(1);
                if unsound > 0 {
                    self.notes.push(format!("`{name}`: {unsound} filings without a sound accession number"));
                }
                self.tell(&name, cik, filings, &reply.validators);
            }
            Err(reason) => self.failed.push((name, Failure::NotUnderstood(reason))),
        }
        self.go_on()
    }

    fn tell(&mut self, name: &str, cik: i64, filings: Vec<Filing>, validators: &Validators) {
        let Some(kept) = self.kept.get_mut(&cik.to_string()) else { return };
        kept.validators = validators.clone();
        let before = std::mem::take(&mut kept.told);
        for filing in filings {
            let first = before.get(&filing.accession).and_then(|s| DateTime::from_timestamp(*s, 0));
            let published = first.unwrap_or(filing.published);
            if !self.forms.contains(&filing.form) || is_past(published, self.at) {
                continue;
            }
            kept.told.insert(filing.accession.clone(), published.timestamp());
            self.items.push(NewsItem {
                id: format!("edgar:{}", filing.accession),
                company: Some(name.to_owned()),
                title: text::of_plain(&filing.title, TITLE_MAX),
                form: Some(filing.form),
                url: filing.url,
                published,
                summary: None,
            });
        }
    }

    fn done(&mut self) -> Result<Step, Failure> {
        let failed = std::mem::take(&mut self.failed);
        if self.answered == 0
            && let Some((_, failure)) = failed.first()
        {
            return Err(failure.clone());
        }
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(failed.iter().map(|(name, failure)| format!("`{name}`: {failure}")));
        let left = self.companies.len().saturating_sub(self.next);
        if left > 0 {
            notes.push(format!("{left} more companies were not asked for"));
        }
        let mut items = std::mem::take(&mut self.items);
        items.sort_by(|a, b| (a.published, &a.id).cmp(&(b.published, &b.id)));
        let lines = items.iter().map(|item| item.to_line(self.at, self.zone)).collect();
        Ok(Step::Done(Reading { lines, notes, memory: Memory::of(&self.kept), ..Reading::default() }))
    }
}

impl Conversation for Edgar {
    fn next(&mut self, answer: Option<Answer>) -> Result<Step, Failure> {
        match answer {
            None if !is_mail(&self.contact) => {
                // It may have been kept elsewhere when the settings were read.
                Err(Failure::Secret("`contact` is no mail address".to_owned()))
            }
            None => self.go_on(),
            Some(Answer::Http(reply)) => self.take(&reply),
            Some(other) => Err(unexpected(&other)),
        }
    }
}

fn refusal(reply: &HttpReply) -> Option<Failure> {
    if reply.status != 403 {
        return failure_of(reply.status, reply.retry_after);
    }
    let page = String::from_utf8_lossy(&reply.body);
    if page.contains("Request Rate Threshold") {
        let retry_after = reply.retry_after.or(Some(SHUT_OUT_S));
        return Some(Failure::Busy { status: 403, retry_after });
    }
    let words = "refused with status 403: the SEC wants a mail address in `contact` that it can write to, \
                 and at most 10 requests a second from one place";
    Some(Failure::Forbidden(words.to_owned()))
}
