//! Numbers with units, durations, dates and clock times.
//!
//! Everything is checked: what does not fit, or does not exist in the calendar, is refused with its place.

use super::reader::{Node, Reader};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{
    CalendarSpan, CalendarUnit, Clock, DateLit, Decimal, Expr, ExprKind, Length, LocalTime,
};
use crate::engine::syntax::grammar::Rule;

/// Digits after the point that are read.
const DECIMALS_MAX: usize = 12;

/// Milliseconds of the units of a duration, largest first.
const DURATION_UNITS: [(&str, i64); 4] = [("h", 3_600_000), ("min", 60_000), ("m", 60_000), ("s", 1_000)];

impl Reader<'_> {
    /// A number with or without its unit.
    pub(super) fn amount(&mut self, node: Node<'_>) -> Option<Expr> {
        let span = self.span(&node);
        let mut parts = node.into_inner();
        let number = parts.next()?;
        let kind = match parts.next() {
            None => ExprKind::Number(self.decimal(&number)?),
            Some(unit) => self.with_unit(&number, &unit)?,
        };
        Some(Expr { span, kind })
    }

    fn with_unit(&mut self, number: &Node<'_>, unit: &Node<'_>) -> Option<ExprKind> {
        let place = self.span(number).to(self.span(unit));
        match duration(number.as_str(), unit.as_str()) {
            Some(Ok(length)) => return Some(ExprKind::Duration(length)),
            Some(Err(reason)) => {
                let written = format!("{}{}", number.as_str(), unit.as_str());
                return self.refuse(
                    place,
                    format!("`{written}` is not a duration: {reason}"),
                    "write `1h30m`, `90min` or `45s`",
                );
            }
            None => {}
        }
        let calendar = match unit.as_str() {
            "day" | "days" => CalendarUnit::Day,
            "night" | "nights" => CalendarUnit::Night,
            "week" | "weeks" => CalendarUnit::Week,
            _ => return Some(ExprKind::Quantity(self.decimal(number)?, self.word(unit))),
        };
        match number.as_str().parse() {
            Ok(count) => Some(ExprKind::Span(CalendarSpan { count, unit: calendar })),
            Err(_) => {
                let message = format!("`{} {}` is not a count of dates", number.as_str(), unit.as_str());
                self.refuse(place, message, "write a whole number such as `2 days`")
            }
        }
    }

    /// A decimal as written.
    pub(super) fn decimal(&mut self, node: &Node<'_>) -> Option<Decimal> {
        let text = node.as_str();
        match decimal(text) {
            Some(decimal) => Some(decimal),
            None => {
                let help = "at most 18 digits, 12 of them after the point";
                self.refuse(self.span(node), format!("`{text}` has too many digits"), help)
            }
        }
    }

    /// An exact length of time, in milliseconds, above zero.
    pub(super) fn duration(&mut self, node: Node<'_>) -> Option<Spanned<i64>> {
        let written = node.as_str().trim_end().to_owned();
        let amount = self.amount(node)?;
        match amount.kind {
            ExprKind::Duration(length) if length > 0 => Some(Spanned::new(length, amount.span)),
            ExprKind::Span(span) => {
                let message = format!("`{written}` counts dates, but an exact duration is needed here");
                let hours = u64::from(span.days()) * 24;
                self.refuse(amount.span, message, &format!("write `{hours}h`"))
            }
            _ => self.refuse(
                amount.span,
                format!("`{written}` is not a duration"),
                "write `1h30m`, `90min` or `45s`",
            ),
        }
    }

    /// A count of dates, above zero.
    pub(super) fn calendar_span(&mut self, node: Node<'_>) -> Option<Spanned<CalendarSpan>> {
        let written = node.as_str().trim_end().to_owned();
        let amount = self.amount(node)?;
        match amount.kind {
            ExprKind::Span(span) if span.count > 0 => Some(Spanned::new(span, amount.span)),
            _ => self.refuse(
                amount.span,
                format!("`{written}` is not a count of dates"),
                "write `14 days` or `2 weeks`",
            ),
        }
    }

    /// Either kind of length, above zero.
    pub(super) fn length(&mut self, node: Node<'_>) -> Option<Spanned<Length>> {
        let written = node.as_str().trim_end().to_owned();
        let amount = self.amount(node)?;
        let length = match amount.kind {
            ExprKind::Duration(length) if length > 0 => Length::Exact(length),
            ExprKind::Span(span) if span.count > 0 => Length::Calendar(span),
            _ => {
                let message = format!("`{written}` is not a length of time");
                return self.refuse(amount.span, message, "write `30min`, `6h` or `2 days`");
            }
        };
        Some(Spanned::new(length, amount.span))
    }

    /// A minute of the day; `24:00` only where `end` allows it.
    pub(super) fn clock(&mut self, node: &Node<'_>, end: bool) -> Option<Spanned<Clock>> {
        let (text, span) = (node.as_str(), self.span(node));
        let Some(seconds) = seconds(text) else {
            let help = "a day has the times `00:00` to `23:59`";
            return self.refuse(span, format!("`{text}` is not a clock time"), help);
        };
        if seconds == 86_400 && !end {
            return self.refuse(span, "`24:00` can only be the end of a window", "write `00:00`");
        }
        if seconds % 60 != 0 {
            return self.refuse(
                span,
                format!("`{text}` has seconds"),
                "write whole minutes, such as `09:00`",
            );
        }
        Some(Spanned::new(Clock(u16::try_from(seconds / 60).ok()?), span))
    }

    /// A date of the calendar.
    pub(super) fn date(&mut self, node: &Node<'_>) -> Option<Spanned<DateLit>> {
        let (text, span) = (node.as_str(), self.span(node));
        match date(text) {
            Some(date) => Some(Spanned::new(date, span)),
            None => self.refuse(
                span,
                format!("`{text}` is not a date of the calendar"),
                "write it as `2026-03-16`",
            ),
        }
    }

    /// A date or an instant.
    pub(super) fn moment(&mut self, node: Node<'_>) -> Option<Expr> {
        let span = self.span(&node);
        let mut parts = node.into_inner();
        let date = self.date(&parts.next()?)?.node;
        let kind = match parts.next() {
            None => ExprKind::Date(date),
            Some(clock) => ExprKind::Instant(date, self.second(&clock)?),
        };
        Some(Expr { span, kind })
    }

    fn second(&mut self, node: &Node<'_>) -> Option<u32> {
        match seconds(node.as_str()) {
            Some(second) if second < 86_400 => Some(second),
            _ => {
                let help = "a day has the times `00:00` to `23:59`";
                self.refuse(self.span(node), format!("`{}` is not a clock time", node.as_str()), help)
            }
        }
    }

    /// A date with its time of day.
    pub(super) fn local_time(&mut self, node: Node<'_>) -> Option<Spanned<LocalTime>> {
        let moment = self.moment(node)?;
        match moment.kind {
            ExprKind::Instant(date, second) => Some(Spanned::new(LocalTime { date, second }, moment.span)),
            _ => self.refuse(moment.span, "this date has no time of day", "write it as `2026-03-16 09:00`"),
        }
    }

    /// Any value that is one token.
    pub(super) fn literal(&mut self, node: Node<'_>) -> Option<Expr> {
        let span = self.span(&node);
        let kind = match node.as_rule() {
            Rule::amount | Rule::field_amount => return self.amount(node),
            Rule::moment => return self.moment(node),
            Rule::clock => ExprKind::Clock(self.clock(&node, false)?.node),
            Rule::text => ExprKind::Text(self.text(&node)?.node),
            Rule::flag => ExprKind::Flag(node.as_str().starts_with("true")),
            Rule::path | Rule::name => ExprKind::Path(self.name(&node)?.node),
            Rule::set => {
                let elements =
                    node.into_inner().filter(|part| !matches!(part.as_rule(), Rule::begin | Rule::finish));
                ExprKind::Set(elements.map(|part| self.literal(part)).collect::<Option<_>>()?)
            }
            _ => return None,
        };
        Some(Expr { span, kind })
    }
}

/// `43.50` as (4350, 2).
pub(super) fn decimal(text: &str) -> Option<Decimal> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let (sign, digits) = whole.strip_prefix('-').map_or((1, whole), |digits| (-1, digits));
    if part.len() > DECIMALS_MAX {
        return None;
    }
    let mut mantissa: i64 = 0;
    for byte in digits.bytes().chain(part.bytes()) {
        mantissa = mantissa.checked_mul(10)?.checked_add(i64::from(byte.checked_sub(b'0')?))?;
    }
    (mantissa < 1_000_000_000_000_000_000)
        .then_some(Decimal { mantissa: sign * mantissa, scale: u8::try_from(part.len()).ok()? })
}

/// A duration in milliseconds; `None` when the unit is none of a duration's.
fn duration(number: &str, unit: &str) -> Option<Result<i64, &'static str>> {
    let first = unit.split(|c: char| !c.is_alphabetic()).next().unwrap_or(unit);
    DURATION_UNITS.iter().find(|(word, _)| *word == first)?;
    Some(sum_of_parts(number, unit))
}

/// Adds up `1` `h30m` and the like.
fn sum_of_parts(number: &str, unit: &str) -> Result<i64, &'static str> {
    let (sign, mut number) = number.strip_prefix('-').map_or((1, number), |digits| (-1, digits));
    let (mut rest, mut total, mut above) = (unit, 0_i64, i64::MAX);
    loop {
        let letters = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let (word, tail) = rest.split_at_checked(letters).ok_or("it cannot be read")?;
        let known = DURATION_UNITS.iter().find(|(known, _)| *known == word);
        let (_, step) = known.ok_or("its units are `h`, `m` or `min`, and `s`")?;
        if *step >= above {
            return Err("larger units come first");
        }
        above = *step;
        total = milliseconds(number, *step)
            .and_then(|part| total.checked_add(part))
            .ok_or("it is not a whole number of milliseconds, or too long")?;
        if tail.is_empty() {
            return Ok(sign * total);
        }
        let digits =
            tail.find(|c: char| !(c.is_ascii_digit() || c == '.')).ok_or("its last number has no unit")?;
        (number, rest) = tail.split_at_checked(digits).ok_or("it cannot be read")?;
        if number.is_empty() {
            return Err("its units are `h`, `m` or `min`, and `s`");
        }
    }
}

/// A decimal number of steps in milliseconds, when that is whole.
fn milliseconds(number: &str, step: i64) -> Option<i64> {
    let Decimal { mantissa, scale } = decimal(number)?;
    let whole = i128::from(mantissa) * i128::from(step);
    let divisor = 10_i128.pow(u32::from(scale));
    if whole % divisor != 0 {
        return None;
    }
    // A million hours is more than a century; what is longer is a slip.
    i64::try_from(whole / divisor).ok().filter(|length| *length <= 3_600_000_000_000)
}

/// Seconds of the day of `09:00` or `09:00:30`; `24:00` is 86,400.
fn seconds(text: &str) -> Option<u32> {
    let mut parts = text.split(':');
    let mut part = |digits: std::ops::RangeInclusive<usize>| {
        let text = parts.next()?;
        digits.contains(&text.len()).then(|| text.parse::<u32>().ok()).flatten()
    };
    let (hour, minute) = (part(1..=2)?, part(2..=2)?);
    let second = if text.matches(':').count() == 2 { part(2..=2)? } else { 0 };
    let whole = hour * 3600 + minute * 60 + second;
    (minute < 60 && second < 60 && whole <= 86_400).then_some(whole)
}

/// A date of the calendar from `2026-03-16`.
fn date(text: &str) -> Option<DateLit> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if year.len() != 4 || month.len() != 2 || day.len() != 2 {
        return None;
    }
    let (year, month, day) = (year.parse::<i32>().ok()?, month.parse::<u8>().ok()?, day.parse::<u8>().ok()?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u8::from(leap),
        _ => return None,
    };
    (year > 0 && (1..=days).contains(&day)).then_some(DateLit { year, month, day })
}
