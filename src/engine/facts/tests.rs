//! Windows against their recomputation from all readings, in any order of arrival.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::engine::record::Scalar;
use crate::engine::rule_set::WindowSpan;
use crate::engine::syntax::ast::StatKind;
use crate::engine::time::{Date, Instant};
use crate::engine::value::Ratio;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

const KINDS: [StatKind; 10] = [
    StatKind::Median,
    StatKind::Mean,
    StatKind::Min,
    StatKind::Max,
    StatKind::Sum,
    StatKind::Count,
    StatKind::Last,
    StatKind::Percentile(90),
    StatKind::Sd,
    StatKind::Spread,
];

fn windows() -> Vec<SignalWindow> {
    let spans = [
        WindowSpan::Days { days: 5, with_today: false },
        WindowSpan::Days { days: 5, with_today: true },
        WindowSpan::Within(9 * HOUR),
        WindowSpan::Within(40 * HOUR),
    ];
    let one = |span| move |kind| SignalWindow { kind, span, scale: 1, needs: 2 };
    spans.into_iter().flat_map(|span| KINDS.map(one(span))).collect()
}

/// The statistic by its definition, over numbers in order of time.
fn plain(kind: StatKind, numbers: &[i64]) -> Option<Ratio> {
    let mut bag = Bag::default();
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let middle = |sorted: &[i64]| -> Option<Ratio> {
        let n = sorted.len();
        let pair = i128::from(*sorted.get((n.checked_sub(1)?) / 2)?) + i128::from(sorted[n / 2]);
        Ratio::new(pair, 2)
    };
    numbers.iter().for_each(|number| bag.insert(*number));
    match kind {
        StatKind::Median => middle(&sorted),
        StatKind::Min => sorted.first().map(|number| Ratio::whole(*number)),
        StatKind::Max => sorted.last().map(|number| Ratio::whole(*number)),
        StatKind::Last => numbers.last().map(|number| Ratio::whole(*number)),
        StatKind::Count => Some(Ratio::whole(i64::try_from(numbers.len()).unwrap())),
        StatKind::Spread => {
            let twice = middle(&sorted)?.checked_mul(Ratio::whole(2))?.as_whole()?;
            let mut off: Vec<i64> = sorted.iter().map(|number| (2 * number - twice).abs()).collect();
            off.sort_unstable();
            middle(&off)?.checked_mul(Ratio::new(14_826, 20_000)?)
        }
        _ => statistic(kind, &bag, None, 1),
    }
}

fn expected(window: &SignalWindow, readings: &BTreeMap<i64, (i64, i64)>, now: i64) -> (usize, Option<Ratio>) {
    let numbers: Vec<i64> = match window.span {
        WindowSpan::Within(length) => readings
            .iter()
            .filter(|(observed, _)| now - **observed < length)
            .map(|(_, (_, number))| *number)
            .collect(),
        WindowSpan::Days { days, with_today } => {
            let mut last = BTreeMap::new();
            for (observed, (_, number)) in readings {
                last.insert(observed.div_euclid(DAY), *number);
            }
            let newest = *last.keys().next_back().unwrap();
            let end = newest + i64::from(with_today);
            last.range(end - i64::from(days)..end).map(|(_, number)| *number).collect()
        }
    };
    (numbers.len(), plain(window.kind, &numbers))
}

proptest! {
    #[test]
    fn windows_equal_their_recomputation(steps in prop::collection::vec((0_i64..3 * DAY, 0_i64..2 * DAY, 0_i64..6, 400_i64..480), 1..60)) {
        let windows = windows();
        let mut facts = SignalFacts::new(400, &windows);
        let mut readings: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
        let mut now = 20_000 * DAY;
        for (forward, back, late, number) in steps {
            now += forward;
            // One reading in three is late; some fall on an instant that is known.
            let observed = if late < 2 { (now - back).div_euclid(6 * HOUR) * 6 * HOUR } else { now };
            let date = Date(i32::try_from(observed.div_euclid(DAY)).unwrap());
            facts.insert(Instant(observed), Instant(now), &Scalar::Fixed(number), date);
            let known = readings.entry(observed).or_insert((now, number));
            if (now, number.to_string()) >= (known.0, known.1.to_string()) {
                *known = (now, number);
            }
            facts.advance(Instant(now));
            for (slot, window) in windows.iter().enumerate() {
                prop_assert_eq!(facts.window(slot), expected(window, &readings, now), "{:?}", window);
            }
        }
        let saved = serde_json::to_string(&facts).unwrap();
        prop_assert_eq!(&serde_json::from_str::<SignalFacts>(&saved).unwrap(), &facts);
    }

    #[test]
    fn a_bag_is_a_sorted_list(numbers in prop::collection::vec(-50_i64..50, 0..700), gone in prop::collection::vec(-50_i64..50, 0..300)) {
        let (mut bag, mut list) = (Bag::default(), Vec::new());
        for number in numbers {
            bag.insert(number);
            list.push(number);
        }
        for number in gone {
            let place = list.iter().position(|other| *other == number);
            prop_assert_eq!(bag.remove(number), place.is_some());
            place.map(|place| list.remove(place));
        }
        list.sort_unstable();
        prop_assert_eq!(bag.len(), list.len());
        for (rank, number) in list.iter().enumerate() {
            prop_assert_eq!(bag.kth(rank), Some(*number));
        }
    }
}

#[test]
fn a_deviation_that_does_not_fit_is_none_and_comes_back() {
    let mut bag = Bag::default();
    for number in [10, 20, 40] {
        bag.insert(number);
    }
    let before = statistic(StatKind::Sd, &bag, None, 6);
    assert!(before.is_some());
    // Six such squares are a little more than 2¹²⁸, of which 128 bits would keep that little.
    let far = 7_600_000_000_000_000_000;
    let huge = [far, far, far, -far, -far, -far];
    for number in huge {
        bag.insert(number);
    }
    assert_eq!(statistic(StatKind::Sd, &bag, None, 6), None);
    assert!(statistic(StatKind::Mean, &bag, None, 1).is_some());
    for number in huge {
        bag.remove(number);
    }
    assert_eq!(statistic(StatKind::Sd, &bag, None, 6), before);
}

/// The daily baselines of the shared oracles: `rhr` and `sleep_h`, 14 and 60 days before.
#[test]
fn baselines_equal_the_oracle() {
    let Some(folder) = crate::oracles::folder("health baselines") else { return };
    let text = std::fs::read_to_string(folder.join("health/welltory_daily_baseline_oracle.csv")).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| head.iter().position(|known| *known == name);
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let mut compared = 0;
    for base in ["rhr", "sleep_h"] {
        let value = column(base).unwrap();
        let mut facts: BTreeMap<&str, SignalFacts> = BTreeMap::new();
        let person = column("user").or(column("user_code")).unwrap_or(0);
        let day = column("date").or(column("day")).unwrap_or(1);
        for row in &rows {
            let Ok(number) = row[value].parse::<f64>() else { continue };
            let date = crate::engine::time::parse_date(row[day]).unwrap();
            let facts = facts.entry(row[person]).or_insert_with(|| SignalFacts::new(400, &[]));
            let at = Instant(i64::from(date.0) * DAY);
            // Millionths of an hour or a beat are finer than anything that the file prints.
            #[expect(clippy::cast_possible_truncation, reason = "the file's values have few digits")]
            let steps = (number * 1e6).round() as i64;
            facts.insert(at, at, &Scalar::Fixed(steps), date);
            for (suffix, kind, days) in [
                ("mean14", StatKind::Mean, 14),
                ("median14", StatKind::Median, 14),
                ("sd14", StatKind::Sd, 14),
                ("mad14", StatKind::Spread, 14),
                ("mean60", StatKind::Mean, 60),
                ("median60", StatKind::Median, 60),
                ("sd60", StatKind::Sd, 60),
                ("mad60", StatKind::Spread, 60),
            ] {
                let Some(place) = column(&format!("{base}_{suffix}")) else { continue };
                let Ok(wanted) = row[place].parse::<f64>() else { continue };
                let (count, got) = facts.baseline(kind, days, date, 6);
                assert!(count >= 7, "{base} {suffix} {}", row[day]);
                let got = got.unwrap().checked_div(Ratio::whole(1_000_000)).unwrap();
                #[expect(clippy::cast_precision_loss, reason = "compared with a printed decimal")]
                let got = got.num() as f64 / got.den() as f64;
                assert!((got - wanted).abs() <= 2e-5, "{base} {suffix} {}: {got} against {wanted}", row[day]);
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared} values were compared");
}
