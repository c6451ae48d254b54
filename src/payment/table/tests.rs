//! Laws of payment tables, beside the cases that a user would write.

use proptest::prelude::*;

use super::*;
use crate::engine::record::StreamId;
use crate::engine::source::Span;

fn usdc() -> Currency {
    Currency::parse("USDC").unwrap()
}

fn row(name: &str, tests: Vec<(Column, CellMatch)>, then: Ruling) -> TableRowDef {
    let tests = tests.into_iter().map(|(column, test)| CellTest { column, test }).collect();
    TableRowDef { name: name.into(), tests, then, span: Span::default() }
}

fn table(first_match: bool, rows: Vec<TableRowDef>) -> TableDef {
    let span = Span::default();
    TableDef { name: "spending".into(), currency: usdc(), stream: StreamId(1), first_match, rows, span }
}

/// The table of the language contract, in units of 0.000001 USDC.
fn example() -> TableDef {
    let research = vec![
        (Column::Field(0), CellMatch::Word("research-desk".into())),
        (Column::Amount, CellMatch::Range(0, 250_000)),
        (Column::TodayAfter, CellMatch::Range(0, 1_000_000)),
    ];
    table(true, vec![row("research", research, Ruling::Ask), row("the rest", vec![], Ruling::Refuse)])
}

fn seller(name: &str) -> Vec<Option<Field>> {
    vec![Some(Value::Text(name.into()))]
}

fn totals(today: i64) -> Totals {
    Totals { today_minor: Some(today), week_minor: Some(today), month_minor: Some(today) }
}

fn ask(table: &TableDef, fields: &[Option<Field>], amount_minor: i64, totals: Totals) -> TableRuling {
    judge(table, &Request { fields, amount_minor, currency: usdc(), totals })
}

fn by(row: &str, ruling: Ruling) -> TableRuling {
    TableRuling { ruling, reason: Reason::Row(row.into()) }
}

fn refused(reason: Reason) -> TableRuling {
    TableRuling { ruling: Ruling::Refuse, reason }
}

#[test]
fn limits_are_inclusive_and_count_the_payment() {
    let (table, desk) = (example(), seller("research-desk"));
    assert_eq!(ask(&table, &desk, 250_000, totals(750_000)), by("research", Ruling::Ask));
    assert_eq!(ask(&table, &desk, 250_001, totals(0)), by("the rest", Ruling::Refuse));
    assert_eq!(ask(&table, &desk, 250_000, totals(750_001)), by("the rest", Ruling::Refuse));
    assert_eq!(ask(&table, &desk, 1, totals(999_999)), by("research", Ruling::Ask));
    assert_eq!(ask(&table, &desk, 1, totals(1_000_000)), by("the rest", Ruling::Refuse));
    assert_eq!(ask(&table, &seller("other"), 1, totals(0)), by("the rest", Ruling::Refuse));
    assert_eq!(ask(&table, &seller("Research-desk"), 1, totals(0)), by("the rest", Ruling::Refuse));
}

#[test]
fn a_range_has_both_ends() {
    let cell = vec![(Column::Amount, CellMatch::Range(10, 20))];
    let table = table(true, vec![row("small", cell, Ruling::Allow)]);
    for (amount, ruling) in
        [(9, Ruling::Refuse), (10, Ruling::Allow), (20, Ruling::Allow), (21, Ruling::Refuse)]
    {
        assert_eq!(ask(&table, &[], amount, totals(0)).ruling, ruling, "{amount}");
    }
}

#[test]
fn week_and_month_have_their_own_totals() {
    for (column, totals) in [
        (Column::WeekAfter, Totals { week_minor: Some(90), ..Totals::default() }),
        (Column::MonthAfter, Totals { month_minor: Some(90), ..Totals::default() }),
    ] {
        let table = table(true, vec![row("small", vec![(column, CellMatch::Range(0, 100))], Ruling::Allow)]);
        assert_eq!(ask(&table, &[], 10, totals), by("small", Ruling::Allow));
        assert_eq!(ask(&table, &[], 11, totals), refused(Reason::NoRow));
    }
}

#[test]
fn what_is_wrong_or_unknown_is_refused() {
    let (table, desk) = (example(), seller("research-desk"));
    assert_eq!(ask(&table, &desk, 0, totals(0)), refused(Reason::NotPositive));
    assert_eq!(ask(&table, &desk, -5, totals(0)), refused(Reason::NotPositive));
    assert_eq!(ask(&table, &desk, 5, totals(-1)), refused(Reason::NegativeTotal));
    assert_eq!(ask(&table, &desk, 5, totals(i64::MAX)), refused(Reason::Overflow));
    let eur = Request {
        fields: &desk,
        amount_minor: 5,
        currency: Currency::parse("EUR").unwrap(),
        totals: totals(0),
    };
    assert_eq!(judge(&table, &eur).reason.to_string(), "the amount is in EUR, the table in USDC");
    let unknown = |what| refused(Reason::Unknown { row: "research".into(), what });
    assert_eq!(ask(&table, &desk, 5, Totals::default()), unknown("today's total"));
    assert_eq!(ask(&table, &[None], 5, totals(0)), unknown("a field of the request"));
    assert_eq!(ask(&table, &[], 5, totals(0)), unknown("a field of the request"));
    assert_eq!(ask(&table, &[Some(Value::Flag(true))], 5, totals(0)), unknown("a field of the request"));
    // A limit that is known to be broken settles the row without its unknown cells.
    assert_eq!(ask(&table, &[None], 250_001, totals(0)), by("the rest", Ruling::Refuse));
}

#[test]
fn an_unknown_row_does_not_let_a_later_one_speak() {
    let guard = row("blocked", vec![(Column::Field(0), CellMatch::Word("casino".into()))], Ruling::Refuse);
    let table = table(true, vec![guard, row("all", vec![], Ruling::Allow)]);
    assert_eq!(ask(&table, &seller("shop"), 5, totals(0)), by("all", Ruling::Allow));
    assert_eq!(ask(&table, &seller("casino"), 5, totals(0)), by("blocked", Ruling::Refuse));
    assert_eq!(ask(&table, &[None], 5, totals(0)).ruling, Ruling::Refuse);
}

#[test]
fn the_first_match_decides_and_without_it_two_are_an_error() {
    let rows = || vec![row("one", vec![], Ruling::Allow), row("two", vec![], Ruling::Ask)];
    assert_eq!(ask(&table(true, rows()), &[], 5, totals(0)), by("one", Ruling::Allow));
    let both = ask(&table(false, rows()), &[], 5, totals(0));
    assert_eq!(
        (both.ruling, both.reason.to_string().as_str()),
        (Ruling::Refuse, "rows `one` and `two` both match")
    );
    assert_eq!(ask(&table(true, vec![]), &[], 5, totals(0)), refused(Reason::NoRow));
}

const SELLERS: [&str; 3] = ["desk", "shop", "lab"];

fn ruling() -> impl Strategy<Value = Ruling> {
    proptest::sample::select(vec![Ruling::Refuse, Ruling::Ask, Ruling::Allow])
}

fn limit() -> impl Strategy<Value = CellMatch> {
    (0_i64..60, 0_i64..120).prop_map(|(low, high)| CellMatch::Range(low, high))
}

fn any_row() -> impl Strategy<Value = TableRowDef> {
    let word = proptest::option::of(proptest::sample::select(SELLERS.to_vec()));
    let limits = proptest::array::uniform4(proptest::option::of(limit()));
    (word, limits, ruling()).prop_map(|(word, [amount, today, week, month], then)| {
        let word = word.map(|word| (Column::Field(0), CellMatch::Word(word.into())));
        let columns = [Column::Amount, Column::TodayAfter, Column::WeekAfter, Column::MonthAfter];
        let limits = columns.into_iter().zip([amount, today, week, month]);
        let tests =
            word.into_iter().chain(limits.filter_map(|(column, limit)| Some((column, limit?)))).collect();
        row("row", tests, then)
    })
}

fn any_table() -> impl Strategy<Value = TableDef> {
    (any::<bool>(), proptest::collection::vec(any_row(), 0..6)).prop_map(|(first, rows)| table(first, rows))
}

/// A request in which everything is known.
fn known() -> impl Strategy<Value = (usize, i64, Totals)> {
    (0..SELLERS.len(), 1_i64..60, 0_i64..100, 0_i64..100, 0_i64..100).prop_map(
        |(seller, amount, day, week, month)| {
            (
                seller,
                amount,
                Totals { today_minor: Some(day), week_minor: Some(week), month_minor: Some(month) },
            )
        },
    )
}

fn passes(table: &TableDef, fields: &[Option<Field>], amount: i64, totals: Totals) -> bool {
    ask(table, fields, amount, totals).ruling != Ruling::Refuse
}

proptest! {
    /// Whatever passes was let through by a row all of whose cells match.
    #[test]
    fn only_a_matching_row_lets_pass(table in any_table(), (who, amount, totals) in known()) {
        let fields = seller(SELLERS[who]);
        let ruling = ask(&table, &fields, amount, totals);
        let fits = |row: &TableRowDef| row.tests.iter().all(|test| match (&test.column, &test.test) {
            (Column::Field(_), CellMatch::Word(word)) => **word == *SELLERS[who],
            (column, CellMatch::Range(low, high)) => {
                let before = match column {
                    Column::TodayAfter => totals.today_minor.unwrap(),
                    Column::WeekAfter => totals.week_minor.unwrap(),
                    Column::MonthAfter => totals.month_minor.unwrap(),
                    _ => 0,
                };
                (*low..=*high).contains(&(before + amount))
            }
            _ => false,
        });
        let matching: Vec<&TableRowDef> = table.rows.iter().filter(|row| fits(row)).collect();
        let expected = match matching.as_slice() {
            [] => Ruling::Refuse,
            [_, _, ..] if !table.first_match => Ruling::Refuse,
            [first, ..] => first.then,
        };
        prop_assert_eq!(ruling.ruling, expected);
    }

    /// Fail closed: making anything unknown never makes a refused payment pass, nor an asked one go unasked.
    #[test]
    fn the_less_is_known_the_less_passes(
        table in any_table(),
        (who, amount, totals) in known(),
        hidden in proptest::array::uniform4(any::<bool>()),
    ) {
        let fields = seller(SELLERS[who]);
        let [field, day, week, month] = hidden;
        let less = Totals {
            today_minor: totals.today_minor.filter(|_| !day),
            week_minor: totals.week_minor.filter(|_| !week),
            month_minor: totals.month_minor.filter(|_| !month),
        };
        let known = ask(&table, &fields, amount, totals).ruling;
        let hidden = if field { vec![None] } else { fields };
        let unknown = ask(&table, &hidden, amount, less).ruling;
        prop_assert!(unknown == Ruling::Refuse || unknown == known);
    }

    /// With everything known and `first match`: taking away a row that does not refuse never makes a refused
    /// payment pass. (Taking away a refusing row may, which is what such a row is for.)
    #[test]
    fn fewer_permitting_rows_permit_no_more(
        rows in proptest::collection::vec(any_row(), 1..6),
        index in any::<prop::sample::Index>(),
        (who, amount, totals) in known(),
    ) {
        let whole = table(true, rows.clone());
        let mut fewer = rows;
        let taken = fewer.remove(index.index(fewer.len()));
        let fewer = table(true, fewer);
        let fields = seller(SELLERS[who]);
        if taken.then != Ruling::Refuse && !passes(&whole, &fields, amount, totals) {
            prop_assert!(!passes(&fewer, &fields, amount, totals));
        }
    }

    /// With everything known and `first match`: narrowing a limit, or the payee, of a row that does not
    /// refuse never makes a refused payment pass.
    #[test]
    fn lower_limits_permit_no_more(
        rows in proptest::collection::vec(any_row(), 1..6),
        index in any::<prop::sample::Index>(),
        narrower in limit(),
        payee in proptest::sample::select(SELLERS.to_vec()),
        (who, amount, totals) in known(),
    ) {
        let whole = table(true, rows.clone());
        let mut narrow = rows;
        let at = index.index(narrow.len());
        // One more cell in a row is a narrower row.
        narrow[at].tests.push(CellTest { column: Column::TodayAfter, test: narrower });
        narrow[at].tests.push(CellTest { column: Column::Field(0), test: CellMatch::Word(payee.into()) });
        let fields = seller(SELLERS[who]);
        if narrow[at].then != Ruling::Refuse && !passes(&whole, &fields, amount, totals) {
            prop_assert!(!passes(&table(true, narrow), &fields, amount, totals));
        }
    }

    /// Caps `to X` on rows that permit, no amounts on rows that refuse: if an amount passes, so does less of
    /// it, and so does the same amount after less was spent.
    #[test]
    fn caps_are_monotone(
        caps in proptest::collection::vec(
            (proptest::option::of(0..SELLERS.len()), 0_i64..60, 0_i64..120, ruling()), 0..6),
        (who, amount, less) in (0..SELLERS.len(), 1_i64..60, 1_i64..60),
        (spent, sooner) in (0_i64..100, 0_i64..100),
    ) {
        let rows = caps.into_iter().map(|(payee, cap, day, then)| {
            let payee = payee.map(|payee| (Column::Field(0), CellMatch::Word(SELLERS[payee].into())));
            let mut tests: Vec<_> = payee.into_iter().collect();
            if then != Ruling::Refuse {
                tests.push((Column::Amount, CellMatch::Range(0, cap)));
                tests.push((Column::TodayAfter, CellMatch::Range(0, day)));
            }
            row("row", tests, then)
        }).collect();
        let (table, fields) = (table(true, rows), seller(SELLERS[who]));
        if passes(&table, &fields, amount, totals(spent)) {
            prop_assert!(passes(&table, &fields, less.min(amount), totals(spent)));
            prop_assert!(passes(&table, &fields, amount, totals(sooner.min(spent))));
        }
    }

    /// However requests, settlements and failures interleave: when each amount that passed is reserved in the
    /// same step, what is reserved and settled never exceeds the largest cap of a day.
    #[test]
    fn reserved_and_settled_stay_within_the_cap(
        events in proptest::collection::vec((0_u8..3, 1_i64..400_000, any::<prop::sample::Index>()), 0..60),
    ) {
        let (table, desk) = (example(), seller("research-desk"));
        let (mut reserved, mut settled): (Vec<i64>, i64) = (Vec::new(), 0);
        for (kind, amount, index) in events {
            let total = reserved.iter().sum::<i64>() + settled;
            match kind {
                0 if passes(&table, &desk, amount, totals(total)) => reserved.push(amount),
                1 if !reserved.is_empty() => settled += reserved.remove(index.index(reserved.len())),
                2 if !reserved.is_empty() => { reserved.remove(index.index(reserved.len())); }
                _ => {}
            }
            prop_assert!(reserved.iter().sum::<i64>() + settled <= 1_000_000);
        }
    }

    /// No amount or total makes it panic or wrap around.
    #[test]
    fn extremes_are_refused_or_judged(amount in any::<i64>(), spent in any::<i64>()) {
        let ruling = ask(&example(), &seller("research-desk"), amount, totals(spent)).ruling;
        let sum = i128::from(amount) + i128::from(spent);
        let fits = (1..=250_000).contains(&amount) && spent >= 0 && sum <= 1_000_000;
        prop_assert_eq!(ruling, if fits { Ruling::Ask } else { Ruling::Refuse });
    }
}
