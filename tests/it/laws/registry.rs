//! `docs/laws.md` and the tests agree: every law names its test, and no test of a law is missing there.

use std::collections::BTreeSet;
use std::fs;

use crate::support::root;

#[test]
fn every_law_names_its_tests_and_no_other() {
    let mut tests = BTreeSet::new();
    for entry in fs::read_dir(root().join("tests/it/laws")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let names =
            text.lines().filter_map(|line| line.trim_start().strip_prefix("fn law_")?.split('(').next());
        tests.extend(names.map(|name| format!("law_{name}")));
    }
    let page = fs::read_to_string(root().join("docs/laws.md")).unwrap();
    let named: BTreeSet<String> =
        page.split('`').filter(|word| word.starts_with("law_")).map(str::to_owned).collect();
    assert!(!tests.is_empty());
    assert_eq!(named, tests);
    let rows: Vec<&str> =
        page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| law")).collect();
    for (number, row) in (1..).zip(&rows) {
        assert!(row.starts_with(&format!("| {number} |")), "laws are numbered in order: {row}");
        // A law of the store or the shell is proved beside it.
        let beside = ["`store::tests`", "`tests/faults`"].iter().any(|tests| row.contains(tests));
        assert!(row.contains("`law_") || beside || row.contains("not yet"), "a law without a test: {row}");
    }
}
