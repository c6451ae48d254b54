//! The report, as people and browsers read it.

use super::*;

fn report() -> RulesReport {
    let sums = RuleSums {
        fired: 5,
        delivered: 3,
        suppressed: BTreeMap::from([("budget".to_owned(), 1), ("quiet".to_owned(), 1)]),
        useful: 2,
        noise: 1,
        delay_ms: Some(180_000),
        ..RuleSums::default()
    };
    RulesReport {
        from: "2026-09-20".to_owned(),
        to: "2026-09-26".to_owned(),
        rules: BTreeMap::from([("short-sleep".to_owned(), sums), ("idle".to_owned(), RuleSums::default())]),
        missed: BTreeMap::from([("brief".to_owned(), 2)]),
        up_ms: 999,
        period_ms: 1000,
    }
}

#[test]
fn a_table_that_a_person_reads() {
    let expected = "\
2026-09-20 to 2026-09-26

rule         fired  told  digest  expired  stopped  useful  noise  precision  delay
idle             0     0       0        0        0       0      0
short-sleep      5     3       0        0        2       2      1       66 %  3min

stopped
  short-sleep: 1 by budget, 1 by quiet

missed runs: 2 of brief

up 99.9 %, down 0s
";
    assert_eq!(text(&report()), expected);
    assert!(text(&RulesReport::default()).ends_with("\nthe watch did not run\n"));
}

#[test]
fn a_picture_without_what_a_name_could_smuggle_in() {
    let mut report = report();
    let sums = RuleSums { fired: u64::MAX, ..RuleSums::default() };
    report.rules.insert("<script>\"&".to_owned(), sums);
    let picture = svg(&report);
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("&lt;script&gt;&quot;&amp;") && !picture.contains("<script"));
    assert!(!picture.contains("idle"));
}

#[test]
fn medians() {
    assert_eq!(median(Vec::new()), None);
    assert_eq!(median(vec![3]), Some(3));
    assert_eq!(median(vec![9, 1, 5]), Some(5));
    assert_eq!(median(vec![4, 1]), Some(2));
}
