//! Sleep samples to nights: one a wake date.
//!
//! Devices overlap, repeat and correct each other, so nothing is ever added up by rows. Samples are first cut
//! into sessions by the gaps between them; inside a session every moment belongs to exactly one sample: the
//! most specific stage (deep, REM, core and awake before plain asleep before in bed), then the source that
//! saw the most of the session, in stages first. What a session holds is the time that its samples own.
//!
//! Never does it count lying in bed as sleep, a nap as a night, or a missing stage as zero.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::places::Places;

/// What a sample says of the sleeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Deep sleep.
    Deep,
    /// Dream sleep.
    Rem,
    /// Core or light sleep.
    Core,
    /// Awake in the course of the night.
    Awake,
    /// Asleep, stage unknown.
    Asleep,
    /// In bed, asleep or not.
    InBed,
}

/// One sample: from `start_ms` to before `end_ms`, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First moment.
    pub start_ms: i64,
    /// End, outside.
    pub end_ms: i64,
    /// Nanoseconds that the source counts for it, when it says fewer than the clock does.
    pub counted_ns: Option<i64>,
    /// What it says.
    pub stage: Stage,
    /// Device, see [`Places::source`].
    pub source: u16,
    /// Zone, see [`Places::zone`].
    pub zone: u16,
}

/// Time by kind in nanoseconds; `None` when no sample speaks of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Deep, REM, core and unspecified together.
    pub asleep: Option<i64>,
    /// Deep sleep.
    pub deep: Option<i64>,
    /// Dream sleep.
    pub rem: Option<i64>,
    /// Core sleep.
    pub core: Option<i64>,
    /// Awake between.
    pub awake: Option<i64>,
    /// Union of all that says in bed.
    pub in_bed: Option<i64>,
}

/// A connected stretch of sleep or of lying in bed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// First moment asleep or in bed.
    pub start_ms: i64,
    /// Last moment asleep or in bed.
    pub end_ms: i64,
    /// Zone of the sample that ends it.
    pub zone: u16,
    /// Local date of waking.
    pub wake_date: NaiveDate,
    /// Too short and too far from night to be one.
    pub nap: bool,
    /// Its times.
    pub totals: Totals,
}

/// Up to this long a gap never parts two samples.
const GAP_MS: i64 = 3_600_000;
/// Up to this long it does not part them either while it is still night: a bad night stays one night.
const NIGHT_GAP_MS: i64 = 3 * 3_600_000;
/// From this length on a session is a night at any hour, so that shift workers have nights too.
const NIGHT_LENGTH_MS: i64 = 3 * 3_600_000;
/// Hour at which a stretch begins to be a night.
const NIGHT_FROM_HOUR: u32 = 22;
/// Hour from which a stretch is day again.
const NIGHT_UNTIL_HOUR: u32 = 8;

/// All sessions, by time.
#[must_use]
pub fn sessions(mut segments: Vec<Segment>, places: &Places) -> Vec<Session> {
    segments.retain(|segment| segment.end_ms > segment.start_ms);
    segments.sort_unstable_by_key(|segment| {
        (segment.start_ms, segment.end_ms, segment.stage, segment.source, segment.zone, segment.counted_ns)
    });
    segments.dedup();
    let mut sessions = Vec::new();
    let mut rest = segments.as_slice();
    while !rest.is_empty() {
        let (session, after) = rest.split_at(session_length(rest, places));
        sessions.extend(session_of(session, places));
        rest = after;
    }
    sessions
}

/// The night of each wake date: its longest session that is no nap, by sleep, then by time in bed.
#[must_use]
pub fn nights(sessions: &[Session]) -> BTreeMap<NaiveDate, Session> {
    let mut nights: BTreeMap<NaiveDate, Session> = BTreeMap::new();
    for session in sessions.iter().filter(|session| !session.nap) {
        let best = nights.entry(session.wake_date).or_insert(*session);
        if weight(session) > weight(best) {
            *best = *session;
        }
    }
    nights
}

fn weight(session: &Session) -> (Option<i64>, Option<i64>, i64) {
    (session.totals.asleep, session.totals.in_bed, session.end_ms)
}

/// How many of the segments, sorted by start, belong to the first session; at least one.
fn session_length(segments: &[Segment], places: &Places) -> usize {
    let mut end = i64::MIN;
    for (index, segment) in segments.iter().enumerate() {
        let gap = segment.start_ms.saturating_sub(end);
        let still_night = || places.zone_of(segment.zone).hour(segment.start_ms) < NIGHT_UNTIL_HOUR;
        if index > 0 && gap > GAP_MS && (gap > NIGHT_GAP_MS || !still_night()) {
            return index;
        }
        end = end.max(segment.end_ms);
    }
    segments.len()
}

/// `None` when the sleeper was only ever awake.
fn session_of(segments: &[Segment], places: &Places) -> Option<Session> {
    let in_bed = |segment: &&Segment| segment.stage != Stage::Awake;
    let start_ms = segments.iter().filter(in_bed).map(|segment| segment.start_ms).min()?;
    let last = segments.iter().filter(in_bed).max_by_key(|segment| segment.end_ms)?;
    let is_asleep = |segment: &&Segment| !matches!(segment.stage, Stage::Awake | Stage::InBed);
    let waking = segments.iter().filter(is_asleep).max_by_key(|segment| segment.end_ms).unwrap_or(last);
    let zone = places.zone_of(last.zone);
    let short = last.end_ms - start_ms < NIGHT_LENGTH_MS;
    let by_day = |ms: i64| (NIGHT_UNTIL_HOUR..NIGHT_FROM_HOUR).contains(&zone.hour(ms));
    // An end at 22:00 sharp has not touched the night.
    let nap = short && by_day(start_ms) && by_day(last.end_ms - 1);
    Some(Session {
        start_ms,
        end_ms: last.end_ms,
        zone: last.zone,
        wake_date: places.zone_of(waking.zone).date(waking.end_ms),
        nap,
        totals: totals(segments, places),
    })
}

fn totals(segments: &[Segment], places: &Places) -> Totals {
    let ranks = ranks(segments, places);
    let mut totals = Totals::default();
    for (segment, owned) in segments.iter().zip(owned_ns(segments, &ranks, |_| true)) {
        let slot = match segment.stage {
            Stage::Deep => &mut totals.deep,
            Stage::Rem => &mut totals.rem,
            Stage::Core => &mut totals.core,
            Stage::Awake => &mut totals.awake,
            Stage::Asleep => &mut totals.asleep,
            Stage::InBed => continue,
        };
        add(slot, owned);
    }
    let staged = [totals.deep, totals.rem, totals.core];
    for stage in staged.into_iter().flatten() {
        add(&mut totals.asleep, Some(stage));
    }
    for owned in owned_ns(segments, &ranks, |stage| stage == Stage::InBed) {
        add(&mut totals.in_bed, owned);
    }
    totals
}

fn add(slot: &mut Option<i64>, amount: Option<i64>) {
    if let Some(amount) = amount {
        *slot = Some(slot.unwrap_or(0).saturating_add(amount));
    }
}

/// The order of the sources of a session, the preferred first: most time in stages, most asleep, most in bed,
/// then by name.
fn ranks(segments: &[Segment], places: &Places) -> BTreeMap<u16, usize> {
    let mut seen: BTreeMap<u16, [i64; 3]> = BTreeMap::new();
    for segment in segments {
        let length = segment.end_ms - segment.start_ms;
        let [staged, asleep, in_bed] = seen.entry(segment.source).or_default();
        let slot = match specificity(segment.stage) {
            0 => staged,
            1 => asleep,
            _ => in_bed,
        };
        *slot = slot.saturating_add(length);
    }
    let mut order: Vec<_> = seen.into_iter().collect();
    order.sort_by(|(a, seen_a), (b, seen_b)| {
        seen_b.cmp(seen_a).then_with(|| places.source_name(*a).cmp(places.source_name(*b)))
    });
    order.into_iter().enumerate().map(|(rank, (source, _))| (source, rank)).collect()
}

/// Smaller says more.
fn specificity(stage: Stage) -> u8 {
    match stage {
        Stage::Deep | Stage::Rem | Stage::Core | Stage::Awake => 0,
        Stage::Asleep => 1,
        Stage::InBed => 2,
    }
}

/// For each segment the nanoseconds that it owns among those of the wanted stages; `None` when it owns no
/// moment. A sweep over starts and ends with the best open segment first.
fn owned_ns(
    segments: &[Segment],
    ranks: &BTreeMap<u16, usize>,
    wanted: impl Fn(Stage) -> bool,
) -> Vec<Option<i64>> {
    let mut edges = Vec::new();
    for (index, segment) in segments.iter().enumerate().filter(|(_, segment)| wanted(segment.stage)) {
        let rank = ranks.get(&segment.source).copied().unwrap_or(usize::MAX);
        let order = (specificity(segment.stage), rank, segment.stage, index);
        edges.push((segment.start_ms, true, order));
        edges.push((segment.end_ms, false, order));
    }
    edges.sort_unstable();
    let mut owned_ms = vec![0_i64; segments.len()];
    let mut open = BTreeSet::new();
    let mut before = i64::MIN;
    for (now, starts, order) in edges {
        if let Some((_, _, _, best)) = open.first()
            && let Some(slot) = owned_ms.get_mut(*best)
        {
            *slot += now - before;
        }
        before = now;
        if starts {
            open.insert(order);
        } else {
            open.remove(&order);
        }
    }
    segments.iter().zip(owned_ms).map(|(segment, owned)| share_ns(segment, owned)).collect()
}

/// The counted time of a segment, in proportion to the part of it that it owns.
fn share_ns(segment: &Segment, owned_ms: i64) -> Option<i64> {
    if owned_ms == 0 {
        return None;
    }
    let length_ms = i128::from(segment.end_ms - segment.start_ms);
    let counted = segment.counted_ns.map_or(length_ms * 1_000_000, i128::from);
    i64::try_from(counted * i128::from(owned_ms) / length_ms).ok()
}

#[cfg(test)]
#[path = "nights_tests.rs"]
mod tests;
