//! The examples of every row, and how calls are refused.

use super::*;
use crate::engine::time::{Instant, parse_clock, parse_date, parse_duration};
use crate::engine::value::{BUILTIN_UNITS, Currency, Display, Ratio, UnitId, UnitInfo, show};

fn toronto() -> Zone {
    Zone("America/Toronto".parse().unwrap())
}

fn instant(date: &str, clock: &str) -> Instant {
    let minutes = parse_clock(clock).unwrap().0;
    toronto().reached(parse_date(date).unwrap(), i64::from(minutes) * 60_000)
}

/// `57.4` in tenths.
fn steps(text: &str, scale: u8) -> Ratio {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction:0<width$}", width = usize::from(scale));
    Ratio::whole(digits.parse().unwrap())
}

/// The few literal forms that examples use.
fn literal(text: &str) -> (Value, Type) {
    if let Some(text) = text.strip_prefix('"') {
        return (Value::Text(text.trim_end_matches('"').into()), Type::Text);
    }
    if let Some((date, clock)) = text.split_once(' ')
        && parse_date(date).is_ok()
    {
        return (Value::Instant(instant(date, clock)), Type::Instant);
    }
    if let Ok(date) = parse_date(text) {
        return (Value::Date(date), Type::Date);
    }
    if let Ok(number) = text.parse::<i64>() {
        return (Value::Number(Ratio::whole(number)), Type::Number);
    }
    if let Ok(ms) = parse_duration(text) {
        return (Value::Number(Ratio::whole(ms)), Type::Duration);
    }
    if let Some((number, code)) = text.split_once(' ')
        && let Some(currency) = Currency::parse(code)
    {
        return (Value::Number(steps(number, currency.decimals())), Type::Money(currency));
    }
    let known = BUILTIN_UNITS.iter().enumerate().find(|(_, unit)| text.ends_with(&*unit.word));
    let (index, UnitInfo { word, scale, .. }) = known.unwrap_or_else(|| panic!("no literal: {text}"));
    let number = steps(text.strip_suffix(&**word).unwrap().trim(), *scale);
    (Value::Number(number), Type::Quantity(UnitId(u16::try_from(index).unwrap())))
}

/// Checks and computes `name(a, b)`, and shows the result.
fn call(text: &str) -> String {
    let (name, args) = text.strip_suffix(')').and_then(|text| text.split_once('(')).unwrap();
    let (values, types): (Vec<Value>, Vec<Type>) = args.split(", ").map(literal).unzip();
    let index = lookup(name).unwrap();
    let ty = check(index, &types).unwrap_or_else(|error| panic!("{text}: {error}"));
    let value = eval(index, &values, toronto()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let today = parse_date("2000-01-01").unwrap();
    show(&value, ty, &Display { units: BUILTIN_UNITS, zone: toronto(), today, extra_decimals: 0 })
}

#[test]
fn every_example_holds() {
    for row in FUNCTIONS {
        assert!(row.examples.len() >= 2, "{row}");
        for (text, result) in row.examples {
            assert!(text.starts_with(&format!("{}(", row.name)), "{text}");
            assert_eq!(call(text), *result, "{text}");
        }
    }
}

#[test]
fn the_list_is_in_order_and_every_row_is_found() {
    assert!(FUNCTIONS.is_sorted_by(|a, b| a.name < b.name));
    for (index, row) in FUNCTIONS.iter().enumerate() {
        assert_eq!(lookup(row.name), Some(index));
        assert!(!row.doc.is_empty() && !row.doc.ends_with('.'), "{row}");
        assert!(row.name.chars().all(|sign| sign.is_ascii_lowercase() || sign == '-'), "{row}");
    }
    assert_eq!(lookup("absolute"), None);
}

#[test]
fn calls_that_do_not_fit_are_refused_in_words() {
    let bpm = Type::Quantity(UnitId(0));
    let refused = |name: &str, args: &[Type]| check(lookup(name).unwrap(), args).unwrap_err();
    assert_eq!(refused("abs", &[]), "`abs(x)` takes 1 value, found 0");
    assert_eq!(refused("round", &[bpm]), "`round(x, step)` takes 2 values, found 1");
    assert_eq!(
        refused("round", &[bpm, Type::Number]),
        "`step` of `round(x, step)` is of the first value's type and unit, found a number"
    );
    assert_eq!(
        refused("round", &[bpm, Type::Quantity(UnitId(1))]),
        "`step` of `round(x, step)` is of the first value's type and unit, found a quantity"
    );
    assert_eq!(
        refused("abs", &[Type::Text]),
        "`x` of `abs(x)` is a number, a quantity, a duration or money, found a text"
    );
    assert_eq!(
        refused("weekday", &[Type::Clock]),
        "`day` of `weekday(day)` is an instant or a date, found a clock time"
    );
    assert_eq!(refused("date", &[Type::Date]), "`at` of `date(at)` is an instant, found a date");
    assert_eq!(
        refused("lower", &[Type::Flag]),
        "`text` of `lower(text)` is a text or a word, found true or false"
    );
    assert!(check(FUNCTIONS.len(), &[]).is_err());
}

#[test]
fn the_result_has_the_type_of_the_first_value() {
    let eur = Type::Money(Currency::parse("EUR").unwrap());
    for ty in [Type::Duration, Type::Number, eur, Type::Quantity(UnitId(3))] {
        assert_eq!(check(lookup("abs").unwrap(), &[ty]), Ok(ty));
        assert_eq!(check(lookup("round").unwrap(), &[ty, ty]), Ok(ty));
    }
    assert_eq!(check(lookup("weekday").unwrap(), &[Type::Instant]), Ok(Type::Word));
}

#[test]
fn dates_are_those_of_the_zone() {
    let at = [Value::Instant(instant("2026-09-26", "23:00"))];
    let date = lookup("date").unwrap();
    let tokyo = Zone("Asia/Tokyo".parse().unwrap());
    assert_eq!(eval(date, &at, toronto()), Ok(Value::Date(parse_date("2026-09-26").unwrap())));
    assert_eq!(eval(date, &at, tokyo), Ok(Value::Date(parse_date("2026-09-27").unwrap())));
    assert_eq!(eval(lookup("clock").unwrap(), &at, tokyo), Ok(Value::Clock(12 * 3_600_000)));
}

#[test]
fn an_all_day_item_has_a_date_and_no_clock_time() {
    let all_day = [Value::Date(parse_date("2026-09-26").unwrap())];
    assert_eq!(eval(lookup("date").unwrap(), &all_day, toronto()), Ok(all_day[0].clone()));
    assert_eq!(eval(lookup("weekday").unwrap(), &all_day, toronto()), Ok(Value::Text("Sat".into())));
    assert_eq!(eval(lookup("clock").unwrap(), &all_day, toronto()), Err("an all-day item has no clock time"));
}

#[test]
fn what_cannot_be_computed_is_missing_with_a_reason() {
    let number = |num: i128| Value::Number(Ratio::new(num, 1).unwrap());
    let round = lookup("round").unwrap();
    assert_eq!(eval(round, &[number(3), number(0)], toronto()), Err("the step is not above zero"));
    assert_eq!(eval(round, &[number(3), number(-1)], toronto()), Err("the step is not above zero"));
    let step = Value::Number(Ratio::new(1, i128::MAX).unwrap());
    assert_eq!(eval(round, &[number(i128::MAX), step], toronto()), Err("the number does not fit"));
    assert_eq!(eval(lookup("abs").unwrap(), &[number(i128::MIN)], toronto()), Err("the number does not fit"));
    for index in 0..=FUNCTIONS.len() {
        assert!(eval(index, &[], toronto()).is_err());
        assert!(eval(index, &[Value::Flag(true), Value::Flag(true)], toronto()).is_err());
    }
}
