//! Numbers, units, dates, clock times, durations and texts.

use super::{Context, Kids, Made, Rule, name};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{
    CalendarSpan, CalendarUnit, Clock, DateLit, Decimal, ExprKind, Length, LocalTime, Period, Weekday,
};
use crate::engine::time::{days_in_month, parse_duration};
use pest::iterators::Pair;

/// Something in its words is wrong.
fn wrong<T>(context: &Context<'_>, pair: &Pair<'_, Rule>, message: impl Into<String>) -> Made<T> {
    let span = pair.as_span();
    Err(Diagnostic::error("syntax", context.span(span.start(), span.end()), message))
}

/// Help for a date or time of which a part has one digit.
fn helped(error: Diagnostic, text: &str, help: &str) -> Diagnostic {
    let short = text.split(['-', ':']).any(|part| part.len() == 1);
    if short { error.help(help) } else { error }
}

/// A whole number.
pub(super) fn int(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Made<Spanned<u32>> {
    match pair.as_str().parse() {
        Ok(number) => Ok(Spanned::new(number, context.place(pair))),
        Err(_) => wrong(context, pair, format!("`{}` is too large", pair.as_str())),
    }
}

/// A decimal as written.
pub(super) fn decimal(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Made<Decimal> {
    let text = pair.as_str();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let scale = u8::try_from(fraction.len()).ok().filter(|scale| *scale <= 18);
    match (format!("{whole}{fraction}").parse(), scale) {
        (Ok(mantissa), Some(scale)) => Ok(Decimal { mantissa, scale }),
        (Ok(_), None) => wrong(context, pair, format!("`{text}` has too many decimals")),
        (Err(_), _) => wrong(context, pair, format!("`{text}` is too large")),
    }
}

/// `56bpm`, `8000 steps`, `3`
pub(super) fn quantity(context: &Context<'_>, pair: Pair<'_, Rule>) -> Made<ExprKind> {
    let mut kids = Kids::of(context, pair);
    let number = decimal(context, &kids.need(Rule::decimal)?)?;
    Ok(match kids.take(Rule::unit) {
        Some(unit) => ExprKind::Quantity(number, name(context, &unit)),
        None => ExprKind::Number(number),
    })
}

/// `1h30m`, in milliseconds.
pub(super) fn duration(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Made<Spanned<i64>> {
    let text: String = pair.as_str().split(' ').collect();
    match parse_duration(&text) {
        Ok(ms) => Ok(Spanned::new(ms, context.place(pair))),
        Err(error) => wrong(context, pair, error.to_string()),
    }
}

/// `2 days`
pub(super) fn calendar(context: &Context<'_>, pair: Pair<'_, Rule>) -> Made<Spanned<CalendarSpan>> {
    let span = context.place(&pair);
    let mut kids = Kids::of(context, pair);
    let count = int(context, &kids.need(Rule::int_part)?)?.node;
    let unit = match kids.need(Rule::cal_unit)?.as_str().trim_end_matches('s') {
        "night" => CalendarUnit::Night,
        "week" => CalendarUnit::Week,
        _ => CalendarUnit::Day,
    };
    Ok(Spanned::new(CalendarSpan { count, unit }, span))
}

/// A duration or a calendar span.
pub(super) fn length(context: &Context<'_>, pair: Pair<'_, Rule>) -> Made<Spanned<Length>> {
    let inner = Kids::of(context, pair).next()?;
    Ok(if inner.as_rule() == Rule::duration {
        let exact = duration(context, &inner)?;
        Spanned::new(Length::Exact(exact.node), exact.span)
    } else {
        let dates = calendar(context, inner)?;
        Spanned::new(Length::Calendar(dates.node), dates.span)
    })
}

/// `2026-03-16`
pub(super) fn date(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Made<Spanned<DateLit>> {
    let text = pair.as_str();
    let read = || {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if (year.len(), month.len(), day.len()) != (4, 2, 2) {
            return None;
        }
        let date = DateLit { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
        let valid = (1..=12).contains(&date.month)
            && (1..=days_in_month(date.year, date.month)).contains(&date.day)
            && date.year >= 1;
        valid.then_some(date)
    };
    match read() {
        Some(date) => Ok(Spanned::new(date, context.place(pair))),
        None => wrong(context, pair, format!("there is no date `{text}`"))
            .map_err(|error| helped(error, text, "a date is written as in `2026-03-06`")),
    }
}

/// Seconds of the day; 86 400 is `24:00`.
fn seconds(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Made<u32> {
    let text = pair.as_str();
    let read = || {
        let mut parts = text.split(':');
        let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next().unwrap_or("00"));
        if (hour.len(), minute.len(), second.len()) != (2, 2, 2) || parts.next().is_some() {
            return None;
        }
        let (hour, minute, second): (u32, u32, u32) =
            (hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?);
        let total = hour * 3600 + minute * 60 + second;
        (minute < 60 && second < 60 && total <= 86_400).then_some(total)
    };
    match read() {
        Some(total) => Ok(total),
        None => wrong(context, pair, format!("there is no time `{text}`"))
            .map_err(|error| error.help(padded(text))),
    }
}

/// What to write for a time that is none.
fn padded(text: &str) -> String {
    match text.split_once(':') {
        Some((hour, minute)) if hour.len() == 1 && minute.len() == 2 => format!("write `0{text}`"),
        _ => "a time is written as in `09:00`".to_owned(),
    }
}

/// `09:00`; `24:00` only where a window ends.
pub(super) fn clock(context: &Context<'_>, pair: &Pair<'_, Rule>, ends: bool) -> Made<Spanned<Clock>> {
    let total = seconds(context, pair)?;
    if total == 86_400 && !ends {
        return wrong(context, pair, "`24:00` may only end a window");
    }
    if total % 60 != 0 || pair.as_str().len() > 5 {
        return wrong(context, pair, "a time of the day has no seconds");
    }
    let minutes = u16::try_from(total / 60).unwrap_or(0);
    Ok(Spanned::new(Clock(minutes), context.place(pair)))
}

/// `2026-03-16 09:00`
pub(super) fn instant(context: &Context<'_>, pair: Pair<'_, Rule>) -> Made<Spanned<LocalTime>> {
    let span = context.place(&pair);
    let mut kids = Kids::of(context, pair);
    let date = date(context, &kids.need(Rule::date)?)?.node;
    let time = kids.need(Rule::clock)?;
    let second = seconds(context, &time)?;
    if second == 86_400 {
        return wrong(context, &time, "`24:00` may only end a window");
    }
    Ok(Spanned::new(LocalTime { date, second }, span))
}

/// A text in quotes with its escapes resolved.
pub(super) fn text(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Made<Spanned<String>> {
    let raw = pair.as_str();
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
    let mut out = String::with_capacity(inner.len());
    let mut characters = inner.char_indices();
    while let Some((index, character)) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        let next = characters.next().map(|(_, next)| next);
        let Some(plain) = escape(next) else {
            let from = pair.as_span().start() + 1 + index;
            let length = 1 + next.map_or(0, char::len_utf8);
            return Err(unknown_escape(context, from, length));
        };
        out.push(plain);
    }
    Ok(Spanned::new(out, context.place(pair)))
}

/// What an escape stands for.
pub(super) fn escape(character: Option<char>) -> Option<char> {
    match character {
        Some('n') => Some('\n'),
        Some(plain @ ('"' | '\\')) => Some(plain),
        _ => None,
    }
}

/// An escape that means nothing.
pub(super) fn unknown_escape(context: &Context<'_>, from: usize, length: usize) -> Diagnostic {
    Diagnostic::error("syntax", context.span(from, from + length), "this escape is not known")
        .help("a text knows `\\\"`, `\\\\` and `\\n`")
}

/// `Mon`
pub(super) fn weekday(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Spanned<Weekday> {
    let day = match pair.as_str() {
        "Mon" => Weekday::Mon,
        "Tue" => Weekday::Tue,
        "Wed" => Weekday::Wed,
        "Thu" => Weekday::Thu,
        "Fri" => Weekday::Fri,
        "Sat" => Weekday::Sat,
        _ => Weekday::Sun,
    };
    Spanned::new(day, context.place(pair))
}

/// `hour`, `day`, `week`, `month`
pub(super) fn period(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Spanned<Period> {
    let period = match pair.as_str() {
        "hour" => Period::Hour,
        "week" => Period::Week,
        "month" => Period::Month,
        _ => Period::Day,
    };
    Spanned::new(period, context.place(pair))
}
