//! Every kind of bad value in a rule, and that the good ones and the rest of a text stay.

use super::*;
use crate::oracles;

#[test]
fn bad_values_are_refused_with_what_was_expected() {
    for (rule, found, expected) in [
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL=0", "1 to 65535"),
        ("FREQ=DAILY;INTERVAL=-2", "INTERVAL=-2", "1 to 65535"),
        ("FREQ=DAILY;INTERVAL=65536", "INTERVAL=65536", "1 to 65535"),
        ("FREQ=DAILY;COUNT=0", "COUNT=0", "1 to 4294967295"),
        ("FREQ=DAILY;COUNT=-3", "COUNT=-3", "1 to 4294967295"),
        ("FREQ=DAILY;COUNT=99999999999999999999", "COUNT=99999999999999999999", "1 to 4294967295"),
        ("FREQ=DAILY;UNTIL=xx", "UNTIL=xx", "a date as `20261231` or a time as `20261231T235959Z`"),
        (
            "FREQ=DAILY;UNTIL=20260230",
            "UNTIL=20260230",
            "a date as `20261231` or a time as `20261231T235959Z`",
        ),
        ("FREQ=XX", "FREQ=XX", "`YEARLY`, `MONTHLY`, `WEEKLY`, `DAILY` or `HOURLY`"),
        ("FREQ", "FREQ", "`YEARLY`, `MONTHLY`, `WEEKLY`, `DAILY` or `HOURLY`"),
        ("COUNT=3", "COUNT=3", "`FREQ` in it"),
        ("", "", "`FREQ` in it"),
        ("FREQ=YEARLY;BYMONTH=13", "BYMONTH=13", "1 to 12"),
        ("FREQ=YEARLY;BYMONTH=0", "BYMONTH=0", "1 to 12"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY=0", "1 to 31 or -31 to -1"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,32", "BYMONTHDAY=1,32", "1 to 31 or -31 to -1"),
        ("FREQ=YEARLY;BYYEARDAY=367", "BYYEARDAY=367", "1 to 366 or -366 to -1"),
        ("FREQ=YEARLY;BYWEEKNO=54", "BYWEEKNO=54", "1 to 53 or -53 to -1"),
        ("FREQ=YEARLY;BYSETPOS=0", "BYSETPOS=0", "1 to 366 or -366 to -1"),
        ("FREQ=WEEKLY;BYDAY=XX", "BYDAY=XX", "days as `MO` or `-1FR`, numbered up to 53"),
        ("FREQ=WEEKLY;BYDAY=", "BYDAY=", "days as `MO` or `-1FR`, numbered up to 53"),
        ("FREQ=MONTHLY;BYDAY=0MO", "BYDAY=0MO", "days as `MO` or `-1FR`, numbered up to 53"),
        ("FREQ=WEEKLY;WKST=1", "WKST=1", "a day as `MO`"),
        ("FREQ=DAILY;BYHOUR=25", "BYHOUR=25", "0 to 23"),
        ("FREQ=DAILY;BYMINUTE=60", "BYMINUTE=60", "0 to 59"),
        ("FREQ=DAILY;BYSECOND=61", "BYSECOND=61", "0 to 60"),
        ("FREQ=DAILY;FREQ=WEEKLY", "FREQ=WEEKLY", "`FREQ` once"),
        ("FREQ=DAILY;COUNT=3;UNTIL=20261231", "UNTIL=20261231", "`COUNT` or `UNTIL`, not both"),
        ("UNTIL=20261231;FREQ=DAILY;COUNT=3", "COUNT=3", "`COUNT` or `UNTIL`, not both"),
        ("FREQ=YEARLY;BYEASTER=0", "BYEASTER=0", "a part of RFC 5545"),
    ] {
        assert_eq!(fault(rule), Some((found, expected.to_owned())), "{rule}");
    }
}

#[test]
fn good_values_pass() {
    for rule in [
        "FREQ=WEEKLY;INTERVAL=1;COUNT=2;BYDAY=MO;",
        " freq = weekly ; byday = mo, +2tu ,-53SU",
        "FREQ=DAILY;UNTIL=20261231T235960Z",
        "FREQ=DAILY;UNTIL=20261231T235959",
        "RSCALE=CHINESE;SKIP=FORWARD;FREQ=YEARLY",
        "FREQ=YEARLY;BYSECOND=60;BYMINUTE=59;BYHOUR=23;BYMONTHDAY=-31;BYYEARDAY=-366;BYSETPOS=366",
    ] {
        assert_eq!(fault(rule), None, "{rule}");
    }
    let Some(text) = oracles::text("ics/libical_libical/icalrecur_test.txt") else { return };
    let rules: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("RRULE:")).collect();
    assert!(rules.len() > 80);
    for rule in rules {
        assert_eq!(fault(rule), None, "{rule}");
    }
}

#[test]
fn only_refused_rules_of_events_change_and_lines_are_counted_as_they_stand() {
    let folded = "BEGIN:VEVENT\r\nSUMMARY:a\r\n b\r\nRRULE;X=\"a:b\":FREQ=DAI\r\n LY;CO\r\n\tUNT=0\r\nUID:u\r\nEND:VEVENT\r\n";
    let (text, refused) = check(folded);
    assert_eq!(text, "BEGIN:VEVENT\r\nSUMMARY:a\r\n b\r\nX-REFUSED-RRULE:0\r\nUID:u\r\nEND:VEVENT\r\n");
    let said: Vec<_> = refused.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["its rule in line 4 is left out: `COUNT=0` was found, expected 1 to 4294967295"]);
    for same in [
        "BEGIN:VTIMEZONE\nRRULE:FREQ=XX\nEND:VTIMEZONE",
        "BEGIN:VEVENT\nBEGIN:VALARM\nRRULE:FREQ=XX\nEND:VALARM\nRRULE:FREQ=DAILY\nEND:VEVENT",
        "BEGIN:VEVENT\nDESCRIPTION:x\n RRULE:FREQ=XX\nEND:VEVENT",
        "RRULE:FREQ=XX",
        "BEGIN:VEVENT\nRRULE\nEND:VEVENT\nEND:X\n:\n\n",
    ] {
        assert_eq!(check(same), (Cow::Borrowed(same), Vec::new()));
    }
}
