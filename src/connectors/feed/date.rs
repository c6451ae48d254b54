//! Dates of feeds, which are RFC 3339, RFC 822 or nearly so.
//!
//! Takes what has one meaning: swapped days and months with names, one-digit parts, names of months in seven
//! languages, twelve-hour clocks, names of zones, an offset that is said twice. A date without a zone is in
//! UTC; one without a time is its midnight there. The name of the day is not asked.
//!
//! Bad input: whatever has two meanings, or parts that cannot be, is no date. Never another instant instead.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;

/// Bytes of a date.
const LENGTH_MAX: usize = 80;

/// The instant that is meant.
#[must_use]
pub(super) fn parse(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if text.len() > LENGTH_MAX {
        return None;
    }
    let instant = iso(text).or_else(|| words(text))?;
    // What lies before the web, or is no year of ours, is a mistake.
    (631_152_000..253_402_300_000).contains(&instant.timestamp()).then_some(instant)
}

/// `2003-12-31T10:14:55Z` and what is near it.
fn iso(text: &str) -> Option<DateTime<Utc>> {
    let (date, rest) = match text.find(['T', 't', ' ']) {
        Some(at) => (text.get(..at)?, text.get(at..)?.get(1..)?.trim_start()),
        None => (text, ""),
    };
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    let date = NaiveDate::from_ymd_opt(number(year, 4)?, month_number(month)?, number(day, 2)?)?;
    if rest.is_empty() {
        return Some(date.and_time(NaiveTime::MIN).and_utc());
    }
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, ':' | '.' | ','));
    let (time, zone) = rest.split_at(end.unwrap_or(rest.len()));
    at_offset(date, clock(time)?, zone_of(&zone.split_whitespace().collect::<Vec<_>>())?)
}

fn month_number(text: &str) -> Option<u32> {
    number(text, 2)
}

/// Digits alone, at most so many.
fn number<N: std::str::FromStr>(text: &str, digits_max: usize) -> Option<N> {
    let sound =
        !text.is_empty() && text.len() <= digits_max && text.bytes().all(|byte| byte.is_ascii_digit());
    sound.then(|| text.parse().ok()).flatten()
}

/// A time of the day, and whether it is the midnight at the day's end.
struct Clock {
    time: NaiveTime,
    next_day: bool,
}

fn clock(text: &str) -> Option<Clock> {
    let whole = text.split(['.', ',']).next()?;
    let mut parts = whole.split(':');
    let hour: u32 = number(parts.next()?, 2)?;
    let minute: u32 = number(parts.next()?, 2)?;
    let second: u32 = parts.next().map_or(Some(0), |second| number(second, 2))?;
    if parts.next().is_some() {
        return None;
    }
    let next_day = hour == 24 && minute == 0 && second == 0;
    // A leap second is the last one of its minute.
    let (hour, second) = (if next_day { 0 } else { hour }, if second == 60 { 59 } else { second });
    Some(Clock { time: NaiveTime::from_hms_opt(hour, minute, second)?, next_day })
}

/// What stands behind a time.
enum Zone {
    Fixed(FixedOffset),
    Named(Tz),
}

fn at_offset(date: NaiveDate, clock: Clock, zone: Zone) -> Option<DateTime<Utc>> {
    let date = if clock.next_day { date.succ_opt()? } else { date };
    let wall: NaiveDateTime = date.and_time(clock.time);
    match zone {
        Zone::Fixed(offset) => Some(offset.from_local_datetime(&wall).single()?.to_utc()),
        Zone::Named(zone) => Some(zone.from_local_datetime(&wall).earliest()?.to_utc()),
    }
}

/// Zones by the names that RFC 822 and feeds have for them, in minutes. `IST` is left out: it is three zones,
/// and feeds use all of them.
const ZONES: &[(&str, i32)] = &[
    ("", 0),
    ("Z", 0),
    ("UT", 0),
    ("UTC", 0),
    ("GMT", 0),
    ("WET", 0),
    ("ETC/GMT", 0),
    ("ETC/UTC", 0),
    ("AST", -240),
    ("ADT", -180),
    ("AT", -240),
    ("EST", -300),
    ("EDT", -240),
    ("ET", -300),
    ("CST", -360),
    ("CDT", -300),
    ("CT", -360),
    ("MST", -420),
    ("MDT", -360),
    ("MT", -420),
    ("PST", -480),
    ("PDT", -420),
    ("PT", -480),
    ("AKST", -540),
    ("AKDT", -480),
    ("HST", -600),
    ("NST", -210),
    ("NDT", -150),
    ("MET", 60),
    ("MEZ", 60),
    ("CET", 60),
    ("CEST", 120),
    ("MEST", 120),
    ("MESZ", 120),
    ("BST", 60),
    ("WEST", 60),
    ("EET", 120),
    ("EEST", 180),
    ("MSK", 180),
    ("JST", 540),
    ("KST", 540),
    ("HKT", 480),
    ("SGT", 480),
    ("AEST", 600),
    ("AEDT", 660),
    ("NZST", 720),
    ("NZDT", 780),
    ("SAST", 120),
];

fn zone_of(words: &[&str]) -> Option<Zone> {
    let mut words = words.to_vec();
    words.dedup();
    match words.as_slice() {
        [] => named_zone(""),
        [zone] => named_zone(zone.trim_matches(['(', ')'])),
        // `+0200 (CEST)`, `GMT +0100`
        [zone, said] if said.starts_with('(') => named_zone(zone),
        ["GMT" | "UTC" | "UT", offset] if offset.starts_with(['+', '-']) => named_zone(offset),
        _ => None,
    }
}

fn named_zone(name: &str) -> Option<Zone> {
    let upper = name.to_ascii_uppercase();
    if let Some((_, minutes)) = ZONES.iter().find(|(zone, _)| *zone == upper) {
        return Some(Zone::Fixed(FixedOffset::east_opt(minutes.saturating_mul(60))?));
    }
    let signed = ["GMT", "UTC"].iter().find_map(|zone| upper.strip_prefix(zone)).unwrap_or(&upper);
    if let Some(digits) = signed.strip_prefix(['+', '-', '−']) {
        return offset(digits, !signed.starts_with('+')).map(Zone::Fixed);
    }
    name.contains('/').then(|| name.parse().ok()).flatten().map(Zone::Named)
}

fn offset(digits: &str, west: bool) -> Option<FixedOffset> {
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() <= 2 => (digits, "0"),
        None => digits.split_at_checked(digits.len().checked_sub(2)?)?,
    };
    let (hours, minutes): (i32, i32) = (number(hours, 2)?, number(minutes, 2)?);
    let seconds = hours.saturating_mul(3_600).saturating_add(minutes.saturating_mul(60));
    if hours > 14 || minutes > 59 {
        return None;
    }
    FixedOffset::east_opt(if west { seconds.saturating_neg() } else { seconds })
}

/// `Thu, 01 Jan 2004 19:48:21 GMT` and what is near it.
fn words(text: &str) -> Option<DateTime<Utc>> {
    let parted = text.replace(',', " ");
    let words: Vec<&str> = parted.split_whitespace().collect();
    let at =
        words.iter().position(|word| word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()));
    let (before, behind) = words.split_at(at.unwrap_or(words.len()));
    let date = date_of(before)?;
    let Some((time, mut zone)) = behind.split_first() else {
        return Some(date.and_time(NaiveTime::MIN).and_utc());
    };
    let mut clock = clock(time)?;
    if let [half, rest @ ..] = zone
        && let Some(afternoon) = half_of_day(half)
    {
        clock.time = twelve_hours(clock.time, afternoon)?;
        zone = rest;
    }
    at_offset(date, clock, zone_of(zone)?)
}

/// True for the afternoon.
fn half_of_day(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().replace('.', "").as_str() {
        "am" => Some(false),
        "pm" => Some(true),
        _ => None,
    }
}

fn twelve_hours(time: NaiveTime, afternoon: bool) -> Option<NaiveTime> {
    use chrono::Timelike as _;
    let shift = match (time.hour(), afternoon) {
        (12, false) => -12,
        (1..=11, true) => 12,
        (1..=11, false) | (12, true) => 0,
        _ => return None,
    };
    Some(time.overflowing_add_signed(TimeDelta::hours(shift)).0)
}

/// A day, a month's name and a year, with or without the day's name before them.
fn date_of(words: &[&str]) -> Option<NaiveDate> {
    let words = match words {
        [day, rest @ ..] if rest.len() == 3 && month(day).is_none() && is_word(day) => rest,
        [day, rest @ ..] if rest.len() == 1 && is_word(day) => rest,
        // `marzo`, `mars` and `mar.` may be a day and a month.
        [day, rest @ ..] if rest.len() == 3 && is_word(day) => rest,
        words => words,
    };
    match words {
        [day, name, year] if month(name).is_some() => {
            NaiveDate::from_ymd_opt(year_of(year)?, month(name)?, day_of(day)?)
        }
        [name, day, year] => NaiveDate::from_ymd_opt(year_of(year)?, month(name)?, day_of(day)?),
        [joined] => {
            let parts: Vec<&str> = joined.split(['/', '-']).collect();
            match parts.as_slice() {
                [year, month, day] if year.len() == 4 && joined.contains('/') => {
                    NaiveDate::from_ymd_opt(number(year, 4)?, number(month, 2)?, number(day, 2)?)
                }
                [day, name, year] => NaiveDate::from_ymd_opt(year_of(year)?, month(name)?, day_of(day)?),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_word(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphabetic() || letter == '.')
}

fn day_of(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(['.', 'º']);
    let bare = ["st", "nd", "rd", "th"].iter().find_map(|ending| digits.strip_suffix(ending));
    number(bare.unwrap_or(digits), 2)
}

fn year_of(text: &str) -> Option<i32> {
    match text.len() {
        4 => number(text, 4),
        2 => number::<i32>(text, 2).map(|year| year.saturating_add(if year < 70 { 2_000 } else { 1_900 })),
        _ => None,
    }
}

/// Beginnings of the names of months, in English, German, French, Italian, Spanish, Portuguese and Dutch.
/// None is that of two months.
const MONTHS: &[(&str, u32)] = &[
    ("jan", 1),
    ("gen", 1),
    ("ene", 1),
    ("jän", 1),
    ("feb", 2),
    ("fév", 2),
    ("fev", 2),
    ("mar", 3),
    ("mär", 3),
    ("mrz", 3),
    ("mrt", 3),
    ("maa", 3),
    ("apr", 4),
    ("avr", 4),
    ("abr", 4),
    ("may", 5),
    ("mai", 5),
    ("mag", 5),
    ("mei", 5),
    ("jun", 6),
    ("juin", 6),
    ("giu", 6),
    ("jul", 7),
    ("juil", 7),
    ("lug", 7),
    ("aug", 8),
    ("aoû", 8),
    ("aou", 8),
    ("ago", 8),
    ("sep", 9),
    ("set", 9),
    ("oct", 10),
    ("okt", 10),
    ("ott", 10),
    ("out", 10),
    ("nov", 11),
    ("dec", 12),
    ("déc", 12),
    ("dez", 12),
    ("dic", 12),
];

fn month(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    if !is_word(&word) {
        return None;
    }
    MONTHS.iter().find(|(beginning, _)| word.starts_with(beginning)).map(|(_, number)| *number)
}
