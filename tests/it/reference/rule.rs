//! A rule that is true or not, judged at every minute: `for`, episodes, `clear when`, `once per day`, `wait`.

use std::collections::BTreeSet;

use chrono_tz::Tz;

use super::condition::{Cond, Known, Reading, SIGNALS};
use super::date;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    None,
    Minutes(i64),
    Days(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    Silent,
    Fire,
    Keep,
}

/// A rule; its title, level and text do not matter here.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) when: Cond,
    pub(crate) hold: Hold,
    pub(crate) clear: Option<Cond>,
    pub(crate) once_per_day: bool,
    /// In minutes.
    pub(crate) wait: Option<i64>,
    pub(crate) unknown: Unknown,
}

impl Rule {
    /// As rule text.
    pub(crate) fn text(&self, name: &str) -> String {
        let mut text = format!("rule {name}\n  when {}\n", self.when.text());
        match self.hold {
            Hold::None => {}
            Hold::Minutes(minutes) => text += &format!("  for {minutes}min\n"),
            Hold::Days(days) => text += &format!("  for {days} days\n"),
        }
        if let Some(clear) = &self.clear {
            text += &format!("  clear when {}\n", clear.text());
        }
        text += "  then tell\n";
        if self.once_per_day {
            text += "  once per day\n";
        }
        if let Some(wait) = self.wait {
            text += &format!("  wait {wait}min\n");
        }
        text += match self.unknown {
            Unknown::Silent => "",
            Unknown::Fire => "  unknown fire\n",
            Unknown::Keep => "  unknown keep\n",
        };
        text
    }
}

/// Minute of each trigger, and whether it was delivered (else it was stopped by `wait`).
pub(crate) fn triggers(rule: &Rule, readings: &[Reading], zone: Tz, from: i64, to: i64) -> Vec<(i64, bool)> {
    let mut made = Vec::new();
    let mut last_known = None;
    let (mut held, mut gap) = (0, 0);
    let mut episode: Option<i64> = None;
    let mut taken: BTreeSet<(i64, bool)> = BTreeSet::new();
    let mut delivered: Option<i64> = None;
    for now in from..=to {
        let known = Known { zone, readings, since: from, now, on: None };
        let raw = known.judge(&rule.when);
        let verdict = match (raw, rule.unknown) {
            (None, Unknown::Fire) => Some(true),
            (None, Unknown::Keep) => last_known,
            _ => raw,
        };
        if verdict.is_some() {
            last_known = verdict;
        }
        // Evidence before this minute; a gap longer than the length starts over.
        let enough = match rule.hold {
            Hold::None => verdict == Some(true),
            Hold::Days(days) => verdict == Some(true) && on_dates(rule, &known, days),
            Hold::Minutes(length) => {
                match verdict {
                    Some(true) => {
                        if gap > length {
                            held = 0;
                        }
                        gap = 0;
                    }
                    Some(false) => (held, gap) = (0, 0),
                    None => gap += 1,
                }
                // Evidence that is full where it ends suffices there.
                let ends = verdict.is_none() && gap == 1 && held == length;
                let enough = (verdict == Some(true) && held >= length) || ends;
                held += i64::from(verdict == Some(true));
                enough
            }
        };
        let clears = match &rule.clear {
            Some(clear) => known.judge(clear) == Some(true),
            None => verdict == Some(false),
        };
        if episode.is_some() && clears {
            episode = None;
        } else if episode.is_none() && enough {
            episode = Some(now);
        }
        let Some(began) = episode.filter(|began| verdict == Some(true) || *began == now) else { continue };
        let key = if rule.once_per_day { (day(rule, &known), true) } else { (began, false) };
        if taken.insert(key) {
            let waits = rule.wait.is_some_and(|wait| delivered.is_some_and(|last| now < last + wait));
            if !waits {
                delivered = Some(now);
            }
            made.push((now, !waits));
        }
    }
    made
}

/// The date of the newest daily value that was judged, else of the minute.
fn day(rule: &Rule, known: &Known<'_>) -> i64 {
    let daily = rule.when.signals().into_iter().filter(|signal| SIGNALS[*signal].daily);
    daily.filter_map(|signal| known.newest_date(signal)).max().unwrap_or_else(|| date(known.zone, known.now))
}

/// True when the dates before the newest held too, each with its own baselines.
fn on_dates(rule: &Rule, known: &Known<'_>, days: i64) -> bool {
    let Some(newest) = rule.when.signals().into_iter().filter_map(|signal| known.newest_date(signal)).max()
    else {
        return false;
    };
    (1..days).all(|back| Known { on: Some(newest - back), ..*known }.judge(&rule.when) == Some(true))
}
