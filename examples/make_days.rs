//! Writes the made-up person of `examples/days`: `cargo run --example make_days -- examples/days`.
//!
//! Three weeks in Toronto around the clock change of 2026-11-01: a gap of two days without health data, a
//! trip to Vancouver, a sick spell, a morning with the machine switched off, a calendar and news. One file
//! a day.
//!
//! INVARIANT: the same seed gives the same bytes, on every machine; no floats, no clock, no hash order.

#![expect(clippy::disallowed_methods, reason = "reads its argument and writes the folder that it names")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, SecondsFormat, TimeDelta, TimeZone, Weekday};
use chrono_tz::Tz;

const SEED: u64 = 20_261_019;
const HOME: Tz = chrono_tz::America::Toronto;
const AWAY: Tz = chrono_tz::America::Vancouver;
const DAYS: u64 = 21;

fn main() -> io::Result<()> {
    let usage = || io::Error::new(io::ErrorKind::InvalidInput, "expected a folder, such as examples/days");
    let folder = PathBuf::from(env::args_os().nth(1).ok_or_else(usage)?);
    let mut days = Person::new(SEED)?;
    for n in 0..DAYS {
        days.live(n)?;
    }
    days.calendar()?;
    days.news()?;
    days.rest()?;
    days.write(&folder)
}

/// Numbers that only depend on the seed (SplitMix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Within `spread` of `middle`, the middle more often than the ends.
    fn around(&mut self, middle: i64, spread: i64) -> i64 {
        let width = spread.unsigned_abs() + 1;
        let first = i64::try_from(self.next() % width).unwrap_or(0);
        let second = i64::try_from(self.next() % width).unwrap_or(0);
        middle + first - second
    }
}

/// What a date is like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Usual,
    /// The watch does not reach the phone, and nothing is read.
    Gap,
    /// Short nights, a fast heart.
    Sick,
    /// One bad night, with nothing else wrong.
    BadNight,
    /// One odd heart rate, with nothing else wrong.
    OddReading,
}

struct Person {
    first: NaiveDate,
    chance: Chance,
    /// Lines by the date of their file, each with its instant.
    lines: BTreeMap<NaiveDate, Vec<(DateTime<Tz>, String)>>,
}

impl Person {
    fn new(seed: u64) -> io::Result<Self> {
        Ok(Self { first: date(10, 19)?, chance: Chance(seed), lines: BTreeMap::new() })
    }

    /// Health data of the `n`th day.
    fn live(&mut self, n: u64) -> io::Result<()> {
        let day = self.first.checked_add_days(Days::new(n)).ok_or_else(out_of_range)?;
        let kind = kind(day);
        let zone = if (date(10, 29)?..=date(10, 30)?).contains(&day) { AWAY } else { HOME };
        if kind == Kind::Gap {
            return Ok(());
        }
        for hour in 0..24 {
            self.signal(local(zone, day, hour, 5)?, None, "source.health", "true");
        }
        self.night(day, zone, kind)?;
        self.heart(day, zone, kind)?;
        let steps = match kind {
            Kind::Sick => self.chance.around(2_100, 900),
            _ => self.chance.around(8_600, 3_400),
        };
        self.signal(local(zone, day, 22, 45)?, None, "health.steps", &steps.to_string());
        Ok(())
    }

    /// Sleep and its stages, in minutes, read a little after waking.
    fn night(&mut self, day: NaiveDate, zone: Tz, kind: Kind) -> io::Result<()> {
        let asleep = match kind {
            Kind::Sick => self.chance.around(305, 25),
            Kind::BadNight => 275,
            _ => self.chance.around(428, 32),
        };
        let weekend = matches!(day.weekday(), Weekday::Sat | Weekday::Sun);
        let wake_minute = self.chance.around(if weekend { 460 } else { 405 }, 18);
        let wake = local(zone, day, 0, 0)? + TimeDelta::minutes(wake_minute);
        // The watch is charged on the last Saturday, and hands its night over at noon.
        let wait = if day == date(11, 7)? { 375 } else { 6 + self.chance.around(6, 6) };
        let at = wake + TimeDelta::minutes(wait);
        let deep = asleep * self.chance.around(15, 4) / 100;
        let rem = asleep * self.chance.around(23, 5) / 100;
        let awake = self.chance.around(22, 12);
        let stages = [
            ("health.asleep", asleep),
            ("health.deep", deep),
            ("health.rem", rem),
            ("health.core", asleep - deep - rem),
            ("health.awake", awake),
            ("health.in-bed", asleep + awake + 9),
        ];
        for (signal, minutes) in stages {
            self.signal(at, Some(wake), signal, &text(&format!("{}h{}m", minutes / 60, minutes % 60)));
        }
        Ok(())
    }

    /// Heart rate, HRV, breathing and oxygen, in tenths.
    fn heart(&mut self, day: NaiveDate, zone: Tz, kind: Kind) -> io::Result<()> {
        let sick = kind == Kind::Sick;
        let resting = match kind {
            Kind::Sick => self.chance.around(670, 15),
            Kind::OddReading => 710,
            _ => self.chance.around(565, 14),
        };
        let hrv = self.chance.around(if sick { 310 } else { 480 }, 40);
        let breaths = self.chance.around(if sick { 172 } else { 146 }, 5);
        let oxygen = self.chance.around(if sick { 953 } else { 969 }, 8);
        let readings = [
            ("health.hrv", 7, 2, hrv),
            ("health.respiratory", 7, 2, breaths),
            ("health.oxygen", 7, 2, oxygen),
            ("health.resting", 8, 15, resting),
        ];
        for (signal, hour, minute, tenths) in readings {
            let observed = local(zone, day, hour, minute)?;
            let value = format!("{}.{}", tenths / 10, tenths % 10);
            self.signal(observed + TimeDelta::minutes(7), Some(observed), signal, &value);
        }
        Ok(())
    }

    /// What is on the calendar, and when it was put there.
    fn calendar(&mut self) -> io::Result<()> {
        for n in 0..DAYS {
            let day = self.first.checked_add_days(Days::new(n)).ok_or_else(out_of_range)?;
            let known = local(HOME, self.first, 6, 30)?;
            match day.weekday() {
                Weekday::Tue | Weekday::Thu => self.meets(known, "Stand-up", local(HOME, day, 9, 30)?, 30),
                Weekday::Wed => self.meets(known, "Gym with Priya", local(HOME, day, 18, 0)?, 75),
                Weekday::Sat => self.meets(known, "Long run with Sam", local(HOME, day, 10, 0)?, 90),
                Weekday::Sun => self.meets(known, "Watch the game on TV", local(HOME, day, 19, 30)?, 150),
                _ => {}
            }
        }
        let known = local(HOME, date(10, 21)?, 12, 40)?;
        self.meets(known, "Exam: statistics", local(HOME, date(10, 22)?, 14, 0)?, 120);
        self.meets(known, "Dentist", local(HOME, date(10, 27)?, 16, 0)?, 45);
        self.meets(known, "Project presentation", local(HOME, date(11, 3)?, 13, 30)?, 60);
        self.meets(known, "Phone interview", local(HOME, date(11, 5)?, 11, 0)?, 45);
        self.meets(known, "Early call with Berlin", local(HOME, date(11, 6)?, 8, 15)?, 30);
        // The interview is moved to a better day, and the Wednesday of the sick spell has no gym.
        let moved = local(HOME, date(11, 4)?, 17, 20)?;
        self.item(
            moved,
            "calendar.event",
            "phone-interview-1105",
            &[
                ("title", text("Phone interview")),
                ("start", instant(local(HOME, date(11, 10)?, 11, 0)?)),
                ("end", instant(local(HOME, date(11, 10)?, 11, 45)?)),
            ],
        );
        self.line(
            moved,
            &[
                ("event", text("calendar.event")),
                ("id", text("gym-with-priya-1104")),
                ("removed", "true".into()),
            ],
        );
        self.line(
            known,
            &[
                ("event", text("calendar.event")),
                ("id", text("long-run-with-sam-1031")),
                ("removed", "true".into()),
            ],
        );
        self.meets(known, "Presentation: hinges of the future", local(AWAY, date(10, 30)?, 14, 0)?, 45);
        let trip = local(HOME, date(10, 21)?, 12, 45)?;
        self.item(
            trip,
            "calendar.event",
            "vancouver-1028",
            &[
                ("title", text("Conference in Vancouver")),
                ("start", text("2026-10-29")),
                ("end", text("2026-11-01")),
                ("all-day", "true".into()),
            ],
        );
        Ok(())
    }

    fn meets(&mut self, known: DateTime<Tz>, title: &str, start: DateTime<Tz>, minutes: i64) {
        let mut id = String::new();
        for letter in title.to_lowercase().chars() {
            match letter {
                'a'..='z' => id.push(letter),
                ' ' => id.push('-'),
                _ => {}
            }
        }
        self.item(
            known,
            "calendar.event",
            &format!("{id}-{}", start.format("%m%d")),
            &[
                ("title", text(title)),
                ("start", instant(start)),
                ("end", instant(start + TimeDelta::minutes(minutes))),
            ],
        );
    }

    /// News of two made-up companies.
    fn news(&mut self) -> io::Result<()> {
        let filed = [
            ((10, 20), (16, 5), "acme", "8-K", "Acme: results of operations"),
            ((10, 22), (9, 12), "acme", "release", "Acme shows an anvil in three new colours"),
            ((10, 22), (22, 40), "bolt", "release", "Bolt to acquire a maker of hinges"),
            ((10, 26), (11, 3), "bolt", "release", "Opinion: what Bolt's earnings may bring"),
            ((10, 27), (16, 1), "bolt", "8-K", "Bolt: results of operations"),
            ((10, 27), (16, 2), "bolt", "release", "Bolt earnings rise in the third quarter"),
            ((10, 27), (16, 4), "bolt", "release", "Bolt raises its guidance for the year"),
            ((10, 27), (16, 7), "bolt", "release", "Bolt's head of sales resigns"),
            ((10, 27), (16, 9), "bolt", "release", "Bolt recalls a batch of hinges"),
            ((10, 27), (16, 15), "acme", "release", "Acme to recall anvils sold in August"),
            ((10, 27), (16, 30), "acme", "release", "Acme keeps its guidance"),
            ((10, 30), (8, 20), "acme", "10-Q", "Acme: quarterly report"),
            ((11, 5), (7, 50), "acme", "8-K", "Acme: departure of an officer"),
            ((11, 5), (10, 10), "acme", "release", "Acme names a new chief after the resignation"),
            ((11, 5), (12, 20), "bolt", "8-K/A", "Bolt: amended results"),
            ((11, 5), (15, 45), "acme", "release", "Acme earnings call is moved"),
            ((11, 5), (19, 5), "bolt", "release", "Bolt guidance unchanged after the recall"),
        ];
        for (n, ((month, day), (hour, minute), company, form, title)) in filed.into_iter().enumerate() {
            let published = local(HOME, date(month, day)?, hour, minute)?;
            let read = published + TimeDelta::minutes(self.chance.around(18, 9));
            self.item(
                read,
                "news.item",
                &format!("{company}-{n}"),
                &[
                    ("company", text(company)),
                    ("title", text(title)),
                    ("form", text(form)),
                    ("url", text(&format!("https://{company}.example/{}/{n}", published.format("%Y/%m/%d")))),
                    ("published", instant(published)),
                ],
            );
        }
        Ok(())
    }

    /// Travel, the machine switched off, and what the person asked for.
    fn rest(&mut self) -> io::Result<()> {
        let landed = local(AWAY, date(10, 28)?, 20, 10)?;
        self.line(landed, &[("zone", text("America/Vancouver"))]);
        let back = local(HOME, date(10, 31)?, 17, 30)?;
        self.line(back, &[("zone", text("America/Toronto"))]);
        self.line(local(HOME, date(11, 6)?, 6, 20)?, &[("down", "true".into())]);
        self.line(local(HOME, date(11, 6)?, 8, 50)?, &[("restart", "true".into())]);
        let exam = local(HOME, date(10, 22)?, 13, 50)?;
        self.line(exam, &[("quiet", "true".into()), ("until", instant(exam + TimeDelta::minutes(140)))]);
        let enough = local(HOME, date(11, 4)?, 9, 0)?;
        let friday = local(HOME, date(11, 6)?, 7, 0)?;
        self.line(enough, &[("snooze", text("low-hrv")), ("until", instant(friday))]);
        let late = local(HOME, date(10, 24)?, 21, 30)?;
        self.line(
            late,
            &[("missed", text("The watch had stopped syncing and I only saw it in the evening"))],
        );
        Ok(())
    }

    fn signal(&mut self, at: DateTime<Tz>, observed: Option<DateTime<Tz>>, signal: &str, value: &str) {
        let mut fields = Vec::new();
        fields.extend(observed.map(|observed| ("observed", instant(observed))));
        fields.push(("signal", text(signal)));
        fields.push(("value", value.to_owned()));
        self.line(at, &fields);
    }

    fn item(&mut self, at: DateTime<Tz>, stream: &str, id: &str, fields: &[(&str, String)]) {
        let fields = format!("{{{}}}", joined(fields));
        self.line(at, &[("event", text(stream)), ("id", text(id)), ("fields", fields)]);
    }

    fn line(&mut self, at: DateTime<Tz>, fields: &[(&str, String)]) {
        let line = format!("{{\"at\":{},{}}}", instant(at), joined(fields));
        self.lines.entry(at.date_naive()).or_default().push((at, line));
    }

    fn write(mut self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        for (day, lines) in &mut self.lines {
            lines.sort_by_key(|(at, _)| *at);
            let mut whole = String::new();
            for (_, line) in lines {
                whole.push_str(line);
                whole.push('\n');
            }
            fs::write(folder.join(format!("{day}.jsonl")), whole)?;
        }
        Ok(())
    }
}

fn kind(day: NaiveDate) -> Kind {
    match (day.month(), day.day()) {
        (10, 24 | 25) => Kind::Gap,
        (10, 30) => Kind::BadNight,
        (10, 28) => Kind::OddReading,
        (11, 2..=5) => Kind::Sick,
        _ => Kind::Usual,
    }
}

fn joined(fields: &[(&str, String)]) -> String {
    fields.iter().map(|(name, value)| format!("{}:{value}", text(name))).collect::<Vec<_>>().join(",")
}

fn text(plain: &str) -> String {
    serde_json::Value::from(plain).to_string()
}

fn instant(at: DateTime<Tz>) -> String {
    text(&at.to_rfc3339_opts(SecondsFormat::Secs, false))
}

fn date(month: u32, day: u32) -> io::Result<NaiveDate> {
    NaiveDate::from_ymd_opt(2026, month, day).ok_or_else(out_of_range)
}

/// A local time; the first of two on the day on which the clocks go back.
fn local(zone: Tz, day: NaiveDate, hour: u32, minute: u32) -> io::Result<DateTime<Tz>> {
    let clock = NaiveTime::from_hms_opt(hour, minute, 0).ok_or_else(out_of_range)?;
    zone.from_local_datetime(&day.and_time(clock)).earliest().ok_or_else(out_of_range)
}

fn out_of_range() -> io::Error {
    io::Error::other("a date or time that does not exist")
}
