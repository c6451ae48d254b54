//! The status as a person reads it.

use std::fmt::Write as _;

use super::shape::{SourceStatus, Status};
use crate::cli::output::counted;
use crate::engine::time::{Instant, Zone, parse_instant, show_duration, show_instant};
use crate::render::terminal::shown;

/// Sections with a name at the left; those without content are left out.
pub(super) fn text(status: &Status, zone: Zone, now: Instant) -> String {
    let when = |text: &str| match parse_instant(text) {
        Ok(at) => show_instant(zone, at, zone.date(now)),
        Err(_) => text.to_owned(),
    };
    let mut page = Page::default();
    let rules = &status.rules;
    let short = rules.hash.get(..8).unwrap_or(&rules.hash);
    let since = rules.since.as_deref().map(|since| format!(", since {}", when(since))).unwrap_or_default();
    page.line("rules", &format!("{}, set {short}{since}", counted(rules.count, "rule")));
    if let Some(complaint) = &rules.complaint {
        page.line("", &format!("the files as they are now are not in force: {complaint}"));
    }
    let watch = &status.watch;
    let age = watch.age_ms.map(age).unwrap_or_default();
    page.line(
        "watch",
        &match (&watch.beat, watch.alive, watch.pid) {
            (None, ..) => "never ran".to_owned(),
            (Some(_), true, Some(pid)) => format!("running (process {pid}), alive {age} ago"),
            (Some(beat), ..) => format!("not running since {}", when(beat)),
        },
    );
    for (place, source) in status.sources.iter().enumerate() {
        page.line(first(place, "sources"), &source_line(source));
    }
    for (place, budget) in status.budgets.iter().enumerate() {
        page.line(
            first(place, "budgets"),
            &format!("{}: {} of {} used", budget.name, budget.used, budget.of),
        );
    }
    for (place, kept) in status.kept.iter().enumerate() {
        let text = kept.text.lines().next().unwrap_or_default();
        page.line(
            first(place, "kept"),
            &format!("{} until {} by {}: {text}", kept.rule, when(&kept.until), kept.by),
        );
    }
    for (place, silenced) in status.silenced.iter().enumerate() {
        page.line(first(place, "silent"), &format!("{} until {}", silenced.what, when(&silenced.until)));
    }
    for (place, run) in status.next.iter().enumerate() {
        page.line(first(place, "next"), &format!("{} {}", when(&run.at), run.schedule));
    }
    let outbox: Vec<_> =
        status.outbox.iter().map(|count| format!("{} {}", count.count, count.state)).collect();
    if !outbox.is_empty() {
        page.line("outbox", &outbox.join(", "));
    }
    if status.inbox > 0 {
        page.line("inbox", &format!("{} not taken in yet", counted(status.inbox, "record")));
    }
    if status.set_aside.count > 0 {
        let count = usize::try_from(status.set_aside.count).unwrap_or(usize::MAX);
        page.line("set aside", &format!("{}, the newest first:", counted(count, "value")));
        for reading in &status.set_aside.newest {
            page.line("", reading);
        }
    }
    page.text
}

fn source_line(source: &SourceStatus) -> String {
    let read = match source.age_ms {
        Some(ms) => format!("read {} ago", age(ms)),
        None => "not read yet".to_owned(),
    };
    let fails = match &source.failure {
        Some(failure) => format!("; failed {}: {failure}", times(source.failures)),
        None => String::new(),
    };
    let notes: String = source.notes.iter().map(|note| format!("; {note}")).collect();
    format!("{} ({}): {read}{fails}{notes}", source.name, source.kind)
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Below a minute in seconds.
fn age(ms: i64) -> String {
    let ms = ms.max(0);
    if ms < 60_000 { format!("{} s", ms / 1000) } else { show_duration(ms) }
}

fn first(place: usize, name: &'static str) -> &'static str {
    if place == 0 { name } else { "" }
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn line(&mut self, name: &str, text: &str) {
        // Texts and reasons come from outside.
        let _ = writeln!(self.text, "{name:<10} {}", shown(text));
    }
}
