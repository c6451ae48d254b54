//! Conditions in Kleene's logic over raw readings, as a tree that can be written as rule text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono_tz::Tz;

use super::date;

/// One raw reading; times in minutes since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) signal: usize,
    pub(crate) at: i64,
    pub(crate) observed: i64,
    /// In tenths of a beat.
    pub(crate) value: i64,
}

/// A signal: its name, whether it is daily, how long a reading counts, in minutes.
pub(crate) struct Signal {
    pub(crate) name: &'static str,
    pub(crate) daily: bool,
    pub(crate) fresh: i64,
}

/// The signals of these laws. Values outside 25 to 220 bpm are set aside.
pub(crate) const SIGNALS: [Signal; 3] = [
    Signal { name: "a.heart", daily: false, fresh: 45 },
    Signal { name: "a.pulse", daily: false, fresh: 300 },
    Signal { name: "a.resting", daily: true, fresh: 1440 },
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Less,
    LessEq,
    Greater,
    GreaterEq,
}

impl Op {
    fn word(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessEq => "<=",
            Self::Greater => ">",
            Self::GreaterEq => ">=",
        }
    }

    /// `left OP right`, both multiplied out.
    fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessEq => left <= right,
            Self::Greater => left > right,
            Self::GreaterEq => left >= right,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stat {
    Median,
    Mean,
    Min,
    Max,
}

/// A condition. Bounds are whole beats.
#[derive(Clone, Debug)]
pub(crate) enum Cond {
    /// The current value against a bound.
    Value(usize, Op, i64),
    /// The current value against a statistic of the dates before, plus a bound.
    Usual {
        signal: usize,
        op: Op,
        stat: Stat,
        days: i64,
        with_today: bool,
        needs: usize,
        plus: i64,
    },
    /// A statistic of the last hours against a bound.
    Recent {
        signal: usize,
        op: Op,
        stat: Stat,
        hours: i64,
        needs: usize,
        bound: i64,
    },
    Missing(usize),
    /// Nothing from a signal for so many minutes.
    Nothing(usize, i64),
    Not(Box<Cond>),
    And(Vec<Cond>),
    Or(Vec<Cond>),
    AtLeast(usize, Vec<Cond>),
}

impl Cond {
    /// As rule text.
    pub(crate) fn text(&self) -> String {
        let name = |signal: usize| SIGNALS[signal].name;
        let stat = |stat: Stat| format!("{stat:?}").to_lowercase();
        let join = |parts: &[Self], word: &str| {
            let parts: Vec<String> = parts.iter().map(Self::text).collect();
            format!("({})", parts.join(word))
        };
        match self {
            Self::Value(signal, op, bound) => format!("{} {} {bound}bpm", name(*signal), op.word()),
            Self::Usual { signal, op, stat: kind, days, with_today, needs, plus } => {
                let today = if *with_today { " with today," } else { "" };
                let mut text = format!("{} {} ", name(*signal), op.word());
                let _ = write!(
                    text,
                    "({} of {} over {days} days,{today} needs {needs}) + {plus}bpm",
                    stat(*kind),
                    name(*signal)
                );
                text
            }
            Self::Recent { signal, op, stat: kind, hours, needs, bound } => {
                format!(
                    "({} of {} within last {hours}h, needs {needs}) {} {bound}bpm",
                    stat(*kind),
                    name(*signal),
                    op.word()
                )
            }
            Self::Missing(signal) => format!("{} is missing", name(*signal)),
            Self::Nothing(signal, minutes) => format!("nothing from {} for {minutes}min", name(*signal)),
            Self::Not(part) => format!("not ({})", part.text()),
            Self::And(parts) => join(parts, " and "),
            Self::Or(parts) => join(parts, " or "),
            Self::AtLeast(least, parts) => {
                let parts: Vec<String> = parts.iter().map(Self::text).collect();
                format!("at least {least} of ({})", parts.join(", "))
            }
        }
    }

    /// Signals that it reads.
    pub(crate) fn signals(&self) -> Vec<usize> {
        match self {
            Self::Value(signal, ..) | Self::Usual { signal, .. } | Self::Missing(signal) => vec![*signal],
            Self::Recent { signal, .. } => vec![*signal],
            Self::Nothing(..) => Vec::new(),
            Self::Not(part) => part.signals(),
            Self::And(parts) | Self::Or(parts) | Self::AtLeast(_, parts) => {
                parts.iter().flat_map(Self::signals).collect()
            }
        }
    }
}

/// What is known at a minute.
pub(crate) struct Known<'a> {
    pub(crate) zone: Tz,
    pub(crate) readings: &'a [Reading],
    /// When the engine began.
    pub(crate) since: i64,
    pub(crate) now: i64,
    /// Judge as of this date instead of the newest.
    pub(crate) on: Option<i64>,
}

impl Known<'_> {
    /// Readings of a signal by `observed`; of one `observed` the one learnt last.
    fn of(&self, signal: usize) -> BTreeMap<i64, Reading> {
        let mut by_time: BTreeMap<i64, Reading> = BTreeMap::new();
        let known = self.readings.iter().filter(|reading| {
            reading.signal == signal && reading.at <= self.now && (250..=2200).contains(&reading.value)
        });
        for reading in known {
            let old = by_time.entry(reading.observed).or_insert(*reading);
            if reading.at >= old.at {
                *old = *reading;
            }
        }
        by_time
    }

    /// The last value of each date.
    fn dates(&self, signal: usize) -> BTreeMap<i64, i64> {
        self.of(signal).values().map(|reading| (date(self.zone, reading.observed), reading.value)).collect()
    }

    /// The newest date with a value of a signal.
    pub(crate) fn newest_date(&self, signal: usize) -> Option<i64> {
        self.dates(signal).keys().next_back().copied()
    }

    fn current(&self, signal: usize) -> Option<i64> {
        if let Some(on) = self.on.filter(|on| Some(*on) != self.newest_date(signal)) {
            return self.dates(signal).get(&on).copied();
        }
        let all = self.of(signal);
        let newest = all.values().next_back()?;
        (self.now < newest.observed + SIGNALS[signal].fresh).then_some(newest.value)
    }

    /// The verdict; `None` is unknown.
    pub(crate) fn judge(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Value(signal, op, bound) => Some(op.holds(self.current(*signal)?, bound * 10)),
            Cond::Usual { signal, op, stat, days, with_today, needs, plus } => {
                let value = self.current(*signal)?;
                let last = self.on.or_else(|| self.newest_date(*signal))? + i64::from(*with_today);
                let dates = self.dates(*signal);
                let window: Vec<i64> = dates.range(last - days..last).map(|(_, value)| *value).collect();
                let (over, under) = statistic(*stat, window, *needs)?;
                Some(op.holds(value * under, over + plus * 10 * under))
            }
            Cond::Recent { signal, op, stat, hours, needs, bound } => {
                let all = self.of(*signal);
                let window = all
                    .range(self.now - hours * 60 + 1..=self.now)
                    .map(|(_, reading)| reading.value)
                    .collect();
                let (over, under) = statistic(*stat, window, *needs)?;
                Some(op.holds(over, bound * 10 * under))
            }
            Cond::Missing(signal) => Some(self.current(*signal).is_none()),
            Cond::Nothing(signal, minutes) => {
                let arrived = self.of_arrivals(*signal);
                Some(self.now >= arrived.unwrap_or(self.since) + minutes)
            }
            Cond::Not(part) => self.judge(part).map(|verdict| !verdict),
            Cond::And(parts) => self.at_least(parts.len(), parts),
            Cond::Or(parts) => self.at_least(1, parts),
            Cond::AtLeast(least, parts) => self.at_least(*least, parts),
        }
    }

    fn of_arrivals(&self, signal: usize) -> Option<i64> {
        let used = |reading: &&Reading| reading.signal == signal && (250..=2200).contains(&reading.value);
        self.readings.iter().filter(used).map(|reading| reading.at).filter(|at| *at <= self.now).max()
    }

    /// True when enough are known true, false when too few still can be.
    fn at_least(&self, least: usize, parts: &[Cond]) -> Option<bool> {
        let verdicts: Vec<Option<bool>> = parts.iter().map(|part| self.judge(part)).collect();
        let yes = verdicts.iter().filter(|verdict| **verdict == Some(true)).count();
        let no = verdicts.iter().filter(|verdict| **verdict == Some(false)).count();
        if yes >= least {
            Some(true)
        } else if parts.len() - no < least {
            Some(false)
        } else {
            None
        }
    }
}

/// A statistic as a fraction; `None` when there are too few values.
fn statistic(stat: Stat, mut values: Vec<i64>, needs: usize) -> Option<(i64, i64)> {
    if values.is_empty() || values.len() < needs {
        return None;
    }
    values.sort_unstable();
    let middle = values.len() / 2;
    Some(match stat {
        Stat::Median if values.len().is_multiple_of(2) => (values[middle - 1] + values[middle], 2),
        Stat::Median => (values[middle], 1),
        Stat::Mean => (values.iter().sum(), i64::try_from(values.len()).unwrap()),
        Stat::Min => (values[0], 1),
        Stat::Max => (*values.last()?, 1),
    })
}
