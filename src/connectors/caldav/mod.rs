//! The calendars of an account on a CalDAV server (RFC 4791): iCloud, Fastmail, Nextcloud, Radicale.
//!
//! A read asks who we are, where our calendars lie and which there are, then each for what touches the
//! window, and hands the texts to the importer of iCalendar files. It only ever reads, and it remembers
//! nothing: what is not there any more can only be told when everything was asked for.
//!
//! Invariants: the login goes to hosts that `address` trusts and to no other; a calendar that cannot be read
//! is named, and then the reading does not claim to show all.
//!
//! Bounds: [`CALENDARS_MAX`], [`RESOURCES_MAX`], [`BODY_BYTES_MAX`], and those of the importer, for all
//! calendars of a read together.

mod address;
mod conversation;
mod gather;
mod multistatus;
mod request;
#[cfg(test)]
mod tests;

use self::conversation::CalDav;
use super::source::SourceKind;
use crate::config::{Form, OptionDef};
use crate::connectors::ics::source::{DAYS_AHEAD, DAYS_BACK};

/// Its row.
pub const SOURCE: SourceKind = SourceKind {
    name: "caldav",
    about: "The calendars of an account on a CalDAV server, such as iCloud",
    options: &[
        OptionDef::required("url", Form::Url, "The server, such as `https://caldav.icloud.com`"),
        OptionDef::required("user", Form::Text, "Name to log in with"),
        OptionDef::required("password", Form::Secret, "Password for this program (app-specific at iCloud)"),
        OptionDef::optional(
            "calendars",
            Form::Texts,
            "Names of the calendars that are read [default: all that hold events]",
        ),
        DAYS_BACK,
        DAYS_AHEAD,
        OptionDef::optional("allow-private", Form::Flag, "The server may lie in the own network"),
    ],
    gives: &["calendar.event"],
    every: Some(900_000),
    check: |_| Ok(()),
    begin: |settings, begin| Box::new(CalDav::begin(settings, &begin)),
};

/// Calendars of an account.
pub const CALENDARS_MAX: usize = 50;
/// Resources of a calendar that touch the window; a resource is an event or a series.
pub const RESOURCES_MAX: usize = 20_000;
/// Size of an answer.
pub const BODY_BYTES_MAX: u64 = 32 << 20;
