//! Payment tables from their text to a ruling: `tests/corpus/payment` asks and answers.

use std::fs;

use verger::engine::resolve::{Inputs, resolve};
use verger::engine::rule_set::RuleSet;
use verger::engine::source::{SourceFile, Sources};
use verger::engine::syntax::parse;
use verger::engine::value::{Currency, Value};
use verger::payment::{Request, Totals, judge};

use crate::support::root;

fn rule_set(name: &str, text: &str) -> (RuleSet, Vec<String>) {
    let mut sources = Sources::default();
    let file = SourceFile::new(name, text);
    let id = sources.add(file.clone());
    let (tree, mut found) = parse(&file, id);
    let resolved = resolve(&[tree], &sources, &Inputs::default());
    found.extend(resolved.diagnostics);
    (
        resolved.rules,
        found.into_iter().map(|finding| format!("{}: {}", finding.id, finding.message)).collect(),
    )
}

/// `12.5` in minor units; `?` is unknown.
fn minor(text: &str, currency: Currency) -> Option<i64> {
    if text == "?" {
        return None;
    }
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let part = format!("{part:0<width$}", width = usize::from(currency.decimals()));
    Some(sign * format!("{whole}{part}").parse::<i64>().unwrap())
}

/// What a table says: `ruling: reason`.
fn ruled(rules: &RuleSet, question: &[&str]) -> String {
    let [table, seller, amount, totals @ ..] = question else { panic!("{question:?}") };
    let table = rules.tables.iter().find(|known| &*known.name == *table).unwrap();
    let known = Some(*seller).filter(|seller| *seller != "?");
    let seller = known.map(|seller| Value::Text(seller.into()));
    // Seller and amount are the first and the last field; a table does not look at the others.
    let fields = [seller, None, None];
    let total = |place: usize| minor(totals.get(place).or(totals.first()).unwrap(), table.currency);
    let totals = Totals { today_minor: total(0), week_minor: total(1), month_minor: total(2) };
    let amount_minor = minor(amount, table.currency).unwrap();
    let request = Request { fields: &fields, amount_minor, currency: table.currency, totals };
    let said = judge(table, &request);
    format!("{}: {}", format!("{:?}", said.ruling).to_lowercase(), said.reason)
}

#[test]
fn tables_say_what_their_text_says() {
    let path = root().join("tests/corpus/payment/spending.rule");
    let text = fs::read_to_string(path).unwrap();
    let (rules, found) = rule_set("spending.rule", &text);
    assert_eq!(found, Vec::<String>::new());
    let mut asked = 0;
    for line in text.lines().filter_map(|line| line.strip_prefix("#? ")) {
        let (question, answer) = line.split_once(" => ").unwrap();
        assert_eq!(ruled(&rules, &question.split(' ').collect::<Vec<_>>()), answer, "{line}");
        asked += 1;
    }
    assert!(asked >= 25, "{asked}");
}

#[test]
fn a_table_that_does_not_say_all_is_refused() {
    const HEAD: &str = "zone home = \"America/Toronto\"\n\
                        stream ask.pay { seller word, amount EUR, count count }\nstream other { seller word }\n";
    let mut wrong = Vec::new();
    for (table, expected) in [
        ("t in EUR on ask.pay\n  | amount | then |\n  | to 1 | pay |\n", "bad-value: this is not a ruling"),
        (
            "t in EUR on ask.pay\n  | then | amount |\n  | ask | to 1 |\n",
            "out-of-place: `then` must be the last column",
        ),
        (
            "t in EUR on ask.pay\n  | name | amount |\n  | a | to 1 |\n",
            "missing-part: the table does not say what follows",
        ),
        (
            "t in EUR on ask.pay\n  | amount | amount | then |\n  | to 1 | to 2 | ask |\n",
            "duplicate-name: two columns are called `amount`",
        ),
        (
            "t in EUR on ask.pay\n  | selller | then |\n  | a | ask |\n",
            "unknown-name: unknown column `selller`",
        ),
        (
            "t in EUR on ask.pay\n  | count | then |\n  | a | ask |\n",
            "unit-mismatch: a column is a word or a text, and `count` is a plain number",
        ),
        (
            "t in EUR on ask.pay\n  | seller | then |\n  | to 1 | ask |\n",
            "unit-mismatch: this column holds words",
        ),
        (
            "t in EUR on ask.pay\n  | amount | then |\n  | baker | ask |\n",
            "unit-mismatch: this column holds amounts",
        ),
        (
            "t in EUR on ask.pay\n  | amount | then |\n  | 2 to 1 | ask |\n",
            "bad-value: no amount lies between these limits",
        ),
        (
            "t in EUR on ask.pay\n  | amount | then |\n  | to 1 |\n",
            "missing-part: the row has 1 cells, and the table 2 columns",
        ),
        (
            "t in USD on ask.pay\n  | amount | then |\n  | to 1 | ask |\n",
            "unit-mismatch: `amount` of `ask.pay` is an amount in `EUR`, and the table is in `USD`",
        ),
        (
            "t in EUR on other\n  | seller | then |\n  | a | ask |\n",
            "missing-part: `other` has no field `amount`",
        ),
        (
            "t in EURO on ask.pay\n  | amount | then |\n  | to 1 | ask |\n",
            "unknown-name: unknown currency `EURO`",
        ),
        (
            "t in EUR on ask.pay\n  | amount | then |\n  | to 1.001 | ask |\n",
            "too-many-decimals: 3 decimals are written, and `EUR` keeps 2 decimals",
        ),
    ] {
        let (rules, found) = rule_set("t.rule", &format!("{HEAD}table {table}"));
        if !found.iter().any(|finding| finding == expected) {
            wrong.push(format!("{table}{found:#?}"));
        }
        assert!(rules.tables.is_empty(), "{table}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
