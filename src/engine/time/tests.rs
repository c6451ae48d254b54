//! Laws of time, over all zones and the years 2000 to 2037.

use std::collections::BTreeSet;

use chrono_tz::TZ_VARIANTS;
use proptest::prelude::*;

use super::*;
use crate::engine::syntax::ast::{Clock, Fold, Gap, Late, Period};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

fn year_start(year: i32) -> Instant {
    Zone(chrono_tz::UTC).midnight(Date::from_ymd(year, 1, 1).unwrap())
}

fn transitions(zone: Zone) -> Vec<Transition> {
    let end = year_start(2038);
    let mut probe = year_start(2000);
    let mut all = Vec::new();
    while probe < end {
        match zone.next_transition(probe) {
            Some(found) if found.at >= end => break,
            Some(found) => {
                probe = found.at;
                all.push(found);
            }
            // Nothing for two years; look on from there.
            None => probe = probe.plus_ms(700 * 24 * HOUR),
        }
    }
    all
}

fn any_zone() -> impl Strategy<Value = Zone> {
    (0..TZ_VARIANTS.len()).prop_map(|index| Zone(TZ_VARIANTS[index]))
}

/// Half of the time any instant of the years, else one near a jump of the zone's clock, where there is one.
fn zone_and_instant() -> impl Strategy<Value = (Zone, Instant)> {
    let span = year_start(2000).0..year_start(2038).0;
    (any_zone(), span, any::<bool>(), -30 * HOUR..30 * HOUR).prop_map(|(zone, ms, near, shift)| {
        let jump = if near { zone.next_transition(Instant(ms)) } else { None };
        (zone, jump.map_or(Instant(ms), |found| found.at.plus_ms(shift)))
    })
}

fn zone_and_date() -> impl Strategy<Value = (Zone, Date)> {
    zone_and_instant().prop_map(|(zone, at)| (zone, zone.local(at).date))
}

fn any_clocks() -> impl Strategy<Value = Vec<Clock>> {
    prop::collection::vec((0_u16..1_440).prop_map(Clock), 1..4)
}

fn any_spec() -> impl Strategy<Value = (ScheduleSpec, Instant)> {
    let kind = prop_oneof![
        any_clocks().prop_map(SpecKind::Daily),
        (1_u8..128, any_clocks()).prop_map(|(bits, clocks)| SpecKind::Weekly(days(bits), clocks)),
        (1_u8..=31, any_clocks()).prop_map(|(day, clocks)| SpecKind::Monthly(day, clocks)),
        (1_i64..30 * 60).prop_map(|minutes| SpecKind::Every(minutes * MINUTE)),
    ];
    let gap = prop_oneof![Just(Gap::After), Just(Gap::Skip)];
    let fold = prop_oneof![Just(Fold::First), Just(Fold::Second), Just(Fold::Both)];
    (zone_and_instant(), gap, fold, kind)
        .prop_map(|((zone, at), gap, fold, kind)| (ScheduleSpec { zone, gap, fold, kind }, at))
}

fn days(bits: u8) -> DaySet {
    let monday = Date(4);
    (0..7).filter(|day| bits & (1 << day) != 0).map(|day| monday.plus_days(day).weekday()).collect()
}

/// The first instant at which the wall clock has reached a local time, by trying every second around it.
fn reached_plainly(zone: Zone, date: Date, ms_of_day: i64) -> Instant {
    let local_ms = i64::from(date.0) * 24 * HOUR + ms_of_day;
    let shows = |at: i64| at + i64::from(zone.offset_s(Instant(at))) * 1_000;
    let first = local_ms - 16 * HOUR;
    let at = (0..32 * 3_600).map(|second| first + second * 1_000).find(|at| shows(*at) >= local_ms);
    Instant(at.unwrap())
}

proptest! {
    #[test]
    fn days_are_contiguous((zone, date) in zone_and_date()) {
        let (start, end) = zone.day_bounds(date);
        prop_assert_eq!(zone.day_bounds(date.plus_days(1)).0, end);
        prop_assert!(start <= end);
        if start < end {
            prop_assert_eq!(zone.date(start), date);
            prop_assert_eq!(zone.date(end.plus_ms(-1)), date);
            prop_assert_ne!(zone.date(start.plus_ms(-1)), date);
            prop_assert_ne!(zone.date(end), date);
        }
    }

    #[test]
    fn dates_never_go_back((zone, at) in zone_and_instant(), later in 0..50 * HOUR) {
        prop_assert!(zone.date(at) <= zone.date(at.plus_ms(later)));
    }

    #[test]
    fn cached_dates_are_the_dates((zone, at) in zone_and_instant(), steps in prop::collection::vec(-HOUR..9 * HOUR, 1..40)) {
        let mut cache = DayCache::new(zone);
        let mut at = at;
        for step in steps {
            at = at.plus_ms(step);
            prop_assert_eq!(cache.date(at), zone.date(at));
            prop_assert!(cache.day(at).contains(at));
        }
    }

    #[test]
    fn local_times_resolve_to_instants_that_show_them((zone, at) in zone_and_instant()) {
        let local = zone.local(at);
        let shown = zone.resolve(local.date, local.ms_of_day, Gap::Skip, Fold::Both);
        prop_assert!(shown.instants().any(|instant| instant == at));
        for instant in shown.instants() {
            let back = zone.local(instant);
            prop_assert_eq!((back.date, back.ms_of_day), (local.date, local.ms_of_day));
        }
        prop_assert_eq!(shown.first(), Some(zone.reached(local.date, local.ms_of_day)));
    }

    #[test]
    fn periods_hold_their_instant_and_meet((zone, at) in zone_and_instant()) {
        for period in [Period::Hour, Period::Day, Period::Week, Period::Month] {
            let (start, end) = period_of(zone, at, period);
            prop_assert!(start <= at && at < end);
            prop_assert_eq!(period_of(zone, start, period), (start, end));
            prop_assert_eq!(period_of(zone, end.plus_ms(-1), period), (start, end));
            prop_assert_eq!(period_of(zone, end, period).0, end);
        }
        let (start, end) = period_of(zone, at, Period::Hour);
        let hour = |instant| zone.local(instant).ms_of_day / HOUR;
        prop_assert_eq!(hour(start), hour(end.plus_ms(-1)));
    }

    #[test]
    fn a_window_and_its_complement_share_time_exactly(
        (zone, at) in zone_and_instant(), from in 0_u16..1_440, to in 0_u16..1_440,
    ) {
        prop_assume!(from != to);
        let window = |from, to| {
            QuietWindows::new(zone, vec![DailyWindow { days: DaySet::NONE, from: Clock(from), to: Clock(to) }])
        };
        let (inside, outside) = (window(from, to), window(to, from));
        prop_assert_ne!(inside.contains(at), outside.contains(at));
        let (start, end) = inside.span_at(at).or_else(|| outside.span_at(at)).unwrap();
        prop_assert!(start <= at && at < end);
        prop_assert_eq!(inside.next_edge(at), Some(end));
        prop_assert_eq!(outside.next_edge(at), Some(end));
    }

    #[test]
    fn edges_are_where_windows_turn(
        (zone, at) in zone_and_instant(), windows in prop::collection::vec((0_u8..128, 0_u16..1_440, 1_u16..=1_440), 1..4),
    ) {
        let windows = windows.into_iter().filter(|(_, from, to)| from != to);
        let quiet = QuietWindows::new(zone, windows
            .map(|(bits, from, to)| DailyWindow { days: days(bits), from: Clock(from), to: Clock(to) }).collect());
        let inside = quiet.contains(at);
        let Some(edge) = quiet.next_edge(at) else {
            prop_assert!(!inside);
            return Ok(());
        };
        prop_assert!(edge > at);
        prop_assert_eq!(quiet.contains(edge.plus_ms(-1)), inside);
        // A span that goes on for more than eight days is cut.
        if edge.ms_since(at) < 8 * 24 * HOUR {
            prop_assert_ne!(quiet.contains(edge), inside);
        }
    }

    #[test]
    fn runs_increase_and_agree_both_ways((spec, at) in any_spec()) {
        let run = spec.next_after(at);
        let Some(run) = run else {
            return Err(TestCaseError::fail("no run"));
        };
        prop_assert!(run > at);
        prop_assert_eq!(spec.last_at_or_before(run), Some(run));
        let last = spec.last_at_or_before(at);
        prop_assert!(last.is_some_and(|last| last <= at));
        prop_assert_eq!(spec.last_at_or_before(run.plus_ms(-1)), last);
        prop_assert_eq!(last.and_then(|last| spec.next_after(last)), Some(run));
    }

    #[test]
    fn lateness_is_never_before_the_run((zone, at) in zone_and_instant(), minute in 0_u16..=1_440) {
        let deadline = late_deadline(at, Late::Until(Clock(minute)), zone);
        prop_assert!(deadline > at);
        prop_assert!(deadline.ms_since(at) <= 50 * HOUR);
    }

    #[test]
    fn instants_round_trip((zone, at) in zone_and_instant()) {
        prop_assert_eq!(parse_instant(&format_instant(zone, at)), Ok(at));
    }

    #[test]
    fn durations_round_trip(ms in any::<i64>(), short in -200 * HOUR..200 * HOUR) {
        prop_assert_eq!(parse_duration(&format_duration(ms)), Ok(ms));
        prop_assert_eq!(parse_duration(&format_duration(short)), Ok(short));
        let shown = parse_duration(&show_duration(short)).unwrap();
        prop_assert!((shown - short).abs() <= 30_000);
    }

    #[test]
    fn dates_round_trip_and_agree_with_another_calendar(days in any::<i32>(), near in -800_000_i32..2_900_000) {
        let (year, month, day) = Date(days).ymd();
        prop_assert_eq!(Date::from_ymd(year, month, day), Some(Date(days)));
        use chrono::Datelike;
        let other = chrono::NaiveDate::from_num_days_from_ce_opt(near + 719_163).unwrap();
        let (year, month, day) = Date(near).ymd();
        prop_assert_eq!((year, u32::from(month), u32::from(day)), (other.year(), other.month(), other.day()));
        prop_assert_eq!(Date(near).weekday() as u32, other.weekday().num_days_from_monday());
    }

    #[test]
    fn no_text_is_read_wrongly(text in "\\PC{0,40}|[0-9TZ:.+-]{0,30}") {
        if let Ok(at) = parse_instant(&text) {
            let again = format_instant(Zone(chrono_tz::UTC), at);
            prop_assert_eq!(parse_instant(&again), Ok(at));
        }
        if let Ok(ms) = parse_duration(&text) {
            prop_assert_eq!(parse_duration(&format_duration(ms)), Ok(ms));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn reached_is_the_first_second_that_shows_it((zone, date) in zone_and_date(), second in 0_i64..86_400) {
        prop_assert_eq!(zone.reached(date, second * 1_000), reached_plainly(zone, date, second * 1_000));
    }
}

/// Zones with different jumps; aliases and zones with equal clocks behave alike and are tried once.
fn distinct_zones() -> Vec<(Zone, Vec<Transition>)> {
    let mut seen = BTreeSet::new();
    let zones = TZ_VARIANTS.iter().map(|tz| (Zone(*tz), transitions(Zone(*tz))));
    zones
        .filter(|(zone, jumps)| {
            let clocks: Vec<_> = jumps.iter().map(|jump| (jump.at, jump.after_s)).collect();
            seen.insert((zone.offset_s(year_start(2000)), clocks))
        })
        .collect()
}

#[test]
fn a_daily_schedule_runs_once_a_date_around_every_jump() {
    let zones = distinct_zones();
    let mut jumps_tried = 0;
    for (zone, jumps) in &zones {
        for jump in jumps {
            jumps_tried += 1;
            let before = zone.local(jump.at.plus_ms(-1));
            // In the hour that is left out or repeated, or at an edge of it.
            let minute = before.ms_of_day / MINUTE;
            let shift = i64::from(jump.after_s - jump.before_s) / 120;
            let inside = u16::try_from((minute + shift).rem_euclid(1_440)).unwrap();
            for clock in [Clock(inside), Clock(0)] {
                let (dates, runs) = dates_and_runs(*zone, before.date, clock);
                assert_eq!(dates, runs, "{} {clock:?} at {:?}", zone.name(), jump.at);
            }
        }
    }
    assert!(zones.len() > 150 && jumps_tried > 5_000, "{} zones, {jumps_tried} jumps", zones.len());
}

/// The dates around one that exist, and the dates of the runs from the first to the last of them. A run
/// belongs to the date that it falls on, or to the one before when it is at a date's first instant because
/// its own time was left out at the end of the date before.
fn dates_and_runs(zone: Zone, around: Date, clock: Clock) -> (Vec<Date>, Vec<Date>) {
    let spec = ScheduleSpec { zone, gap: Gap::After, fold: Fold::First, kind: SpecKind::Daily(vec![clock]) };
    let exists = |date: &Date| zone.midnight(*date) < zone.midnight(date.plus_days(1));
    let dates: Vec<Date> = (-2..=2).map(|ahead| around.plus_days(ahead)).filter(exists).collect();
    let date_of_run = |run: Instant| {
        let local = zone.local(run);
        let moved = local.ms_of_day < clock_ms(clock) && zone.midnight(local.date) == run;
        if moved { zone.date(run.plus_ms(-1)) } else { local.date }
    };
    let start = zone.midnight(dates[0]).plus_ms(-1);
    let runs = std::iter::successors(spec.next_after(start), |run| spec.next_after(*run)).map(date_of_run);
    let wanted = dates[0]..=dates[dates.len() - 1];
    // At the first date's first instant, the run may still be of the date before.
    let runs = runs.skip_while(|date| *date < dates[0]).take_while(|date| wanted.contains(date)).collect();
    (dates, runs)
}
