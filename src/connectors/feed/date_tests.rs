//! Dates of the oracle, and what feeds write beside the standards.

use super::date::parse;
use crate::oracles;

fn utc(text: &str) -> String {
    parse(text).map(|at| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)).unwrap_or_default()
}

/// Dates that the oracle's parsers read and this one refuses, each for a reason.
const REFUSED: &[(&str, &str)] = &[
    ("Κυρ, 11 Ιούλ 2004 12:00:00 EST", "Greek"),
    ("2004-július-13T9:15-05:00", "Hungarian"),
    ("2004년 05월 28일  01:31:15", "Korean, and its zone is guessed"),
    ("-0312", "a year of two digits without a name beside it"),
    ("031231", "a year of two digits without a name beside it"),
    ("03-12-31", "a year of two digits without a name beside it"),
    ("-03-12", "a year of two digits without a name beside it"),
];

#[test]
fn the_oracles_dates_are_read_as_they_are_meant_or_not_at_all() {
    let Some(text) = oracles::text("feeds/feed_dates_oracle.json") else { return };
    let dates: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut read = 0;
    for date in &dates {
        let input = date["input"].as_str().unwrap();
        let expected = date["expect_utc"].as_str().unwrap_or_default();
        if REFUSED.iter().any(|(refused, _)| *refused == input) {
            assert_eq!(utc(input), "", "{input}");
        } else {
            assert_eq!(utc(input), expected, "{input}");
            read += usize::from(!expected.is_empty());
        }
    }
    assert_eq!((dates.len(), read), (45, 20));
}

#[test]
fn what_feeds_write_beside_the_standards() {
    for (written, meant) in [
        ("Sat, Dec 16 2023 02:02:33 PM", "2023-12-16T14:02:33Z"),
        ("Sat, Dec 16 2023 12:02:33 AM", "2023-12-16T00:02:33Z"),
        ("mer, 16 nov 2022 00:38:15 +0100", "2022-11-15T23:38:15Z"),
        ("Mi, 16 März 2022 00:38:15 MEZ", "2022-03-15T23:38:15Z"),
        ("Mon, May 25 2020 04:45:26 +0000", "2020-05-25T04:45:26Z"),
        ("Tue, 26 May 2020 04:45:26 +0200 +0200", "2020-05-26T02:45:26Z"),
        ("Tue, 26 May 2020 04:45:26 +0200 (CEST)", "2020-05-26T02:45:26Z"),
        ("26 May 2020", "2020-05-26T00:00:00Z"),
        ("2020-05-26", "2020-05-26T00:00:00Z"),
        ("2020-05-26T24:00:00Z", "2020-05-27T00:00:00Z"),
        ("Tue, 26th May 2020 4:45 am EDT", "2020-05-26T08:45:00Z"),
        ("Tue, 26 May 2020 04:45:26 America/New_York", "2020-05-26T08:45:26Z"),
        ("2020-05-26T04:45:26.123-0400", "2020-05-26T08:45:26Z"),
        ("16-Dec-2012 11:47:32 GMT", "2012-12-16T11:47:32Z"),
        ("mar, 03 mar 2020 10:00:00 +0100", "2020-03-03T09:00:00Z"),
        ("mar 03 2020 10:00:00 GMT", "2020-03-03T10:00:00Z"),
    ] {
        assert_eq!(utc(written), meant, "{written}");
    }
}

#[test]
fn what_has_two_meanings_is_no_date() {
    for written in [
        "",
        "yesterday",
        "05/06/2020",
        "5.6.2020 10:00",
        "1590468326",
        "2020-05",
        "Tue, 26 May 2020 14:00 PM",
        "Tue, 26 May 2020 04:45:26 IST",
        "Tue, 26 May 2020 04:45:26 +0200 +0300",
        "2020-02-30T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "Tue, 26 May 2020 25:00:00 GMT",
    ] {
        assert_eq!(utc(written), "", "{written}");
    }
}
