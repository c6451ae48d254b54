//! Filings of companies with the American SEC, from `data.sec.gov`.
//!
//! One request a company, one after the other with a pause between (at most ten a second are allowed), each
//! conditional on what the last one left. The forms that are wanted become lines of `news.item`, named by
//! their accession number, with the form in `form`; an amendment (`8-K/A`) is a form of its own. When a
//! filing was accepted is a question of its own, see `accepted`.
//!
//! One company that cannot be read is noted and costs the others nothing; all of them are a failure. A server
//! that refuses or asks for patience is not asked for the rest.
//!
//! Never reads a filing itself. Bad input: columns of unequal length are no table; a row without a sound
//! accession number is counted.

mod accepted;
mod filing;
mod forms;
mod read;

#[cfg(test)]
mod tests;

use super::source::{QUESTIONS_MAX, SourceKind};
use crate::config::{Form, OptionDef, Settings};

/// Its row.
pub const SOURCE: SourceKind = SourceKind {
    name: "edgar",
    about: "Filings of companies with the American SEC",
    options: &[
        OptionDef::required("companies", Form::Tables(COMPANY), "Whose filings"),
        OptionDef::required("contact", Form::Text, "Your mail address, which the SEC asks for"),
        OptionDef::optional("forms", Form::Texts, "Which forms, instead of the usual ones"),
        OptionDef::optional("base-url", Form::Url, "Where they are [default: https://data.sec.gov]"),
        OptionDef::optional("allow-private", Form::Flag, "May lie in the own network"),
    ],
    gives: &[super::news::STREAM],
    every: Some(15 * 60_000),
    check,
    begin: |settings, begin| Box::new(read::Edgar::begin(settings, &begin)),
};

const COMPANY: &[OptionDef] = &[
    OptionDef::required("name", Form::Text, "Its name in `company`"),
    OptionDef::required("cik", Form::Number(1, 9_999_999_999), "Its number at the SEC"),
];

fn check(settings: &Settings) -> Result<(), String> {
    let companies = settings.tables("companies");
    if companies.len() > QUESTIONS_MAX {
        return Err(format!("more than {QUESTIONS_MAX} companies in one source"));
    }
    let mut numbers: Vec<_> = companies.iter().filter_map(|company| company.number("cik")).collect();
    numbers.sort_unstable();
    if let Some([twice, _]) = numbers.array_windows().find(|[a, b]| a == b) {
        return Err(format!("two companies have the `cik` {twice}"));
    }
    match settings.text("contact") {
        Some(contact) if !is_mail(contact) => {
            Err("`contact` is a mail address such as `\"you@example.org\"`".to_owned())
        }
        _ => Ok(()),
    }
}

fn is_mail(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let sound = |part: &str, more: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    text.len() <= 120 && sound(name, "._%+-'") && sound(host, ".-") && host.trim_matches('.').contains('.')
}
