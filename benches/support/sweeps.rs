//! Fifteen-minute sweeps of a day's sources as recorded-day lines: a calendar and news that are read again
//! and again, a heart rate each time, a night each morning.
//!
//! Most of what a sweep brings was there in the one before, as it is with every real source.

use std::fmt::Write as _;

use super::{MINUTE, START};
use verger::engine::record::Record;
use verger::engine::records::{Read, Reader};
use verger::engine::rule_set::RuleSet;
use verger::engine::time::{Instant, Zone, format_instant};

/// Sweeps of a day.
const SWEEPS: i64 = 96;

/// The records of so many days, one batch a sweep.
pub(crate) fn sweeps(rules: &RuleSet, days: i64) -> Vec<Vec<Record>> {
    let mut reader = Reader::new(rules);
    let mut noise = 0x2545_f491_4f6c_dd1d_u64;
    let mut text = String::new();
    let mut batches = Vec::new();
    for sweep in 0..days * SWEEPS {
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        text.clear();
        write_sweep(&mut text, sweep, noise);
        let records = text.lines().filter_map(|line| {
            let read = reader.read_line(line.as_bytes());
            assert!(read.is_ok(), "{line}: {read:?}");
            match read {
                Ok(Read::Record(record)) => Some(record),
                _ => None,
            }
        });
        batches.push(records.collect());
    }
    batches
}

fn stamp(minutes: i64) -> String {
    let utc = Zone::parse("UTC");
    assert!(utc.is_some());
    utc.map(|zone| format_instant(zone, Instant(START + minutes * MINUTE))).unwrap_or_default()
}

fn write_sweep(text: &mut String, sweep: i64, noise: u64) {
    let (day, place) = (sweep / SWEEPS, sweep % SWEEPS);
    let at = stamp(sweep * 15);
    let mut line = |rest: String| {
        let _ = writeln!(text, "{{\"at\":\"{at}\",{rest}}}");
    };
    line("\"signal\":\"source.health\",\"value\":true".into());
    // 11:30 and 12:00 UTC are a morning in Toronto.
    if place == 46 {
        let minutes = 330 + noise % 150;
        line(format!("\"signal\":\"health.asleep\",\"value\":\"{minutes}min\""));
    }
    if place == 48 {
        line(format!("\"signal\":\"health.resting\",\"value\":{}", 54 + noise % 9));
        line(format!("\"signal\":\"health.hrv\",\"value\":{}", 35 + noise % 20));
    }
    // The calendar names the same event in each sweep of its day, the news its newest item until the next.
    let start = stamp(day * 1440 + 840);
    let end = stamp(day * 1440 + 900);
    let title = if day % 9 == 0 { "Final exam" } else { "Team meeting" };
    line(format!(
        "\"event\":\"calendar.event\",\"id\":\"e{day}\",\"fields\":{{\"title\":\"{title}\",\"start\":\"{start}\",\
         \"end\":\"{end}\",\"status\":\"confirmed\"}}"
    ));
    let story = sweep / 16;
    let word = if story % 7 == 0 { "earnings" } else { "people" };
    line(format!(
        "\"event\":\"news.item\",\"id\":\"n{story}\",\"fields\":{{\"company\":\"acme\",\"title\":\"Acme {word} \
         {story}\",\"form\":\"4\",\"url\":\"https://news.example/{story}\",\"published\":\"{}\"}}",
        stamp(story * 16 * 15)
    ));
}
