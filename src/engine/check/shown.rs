//! Values in messages, in the form in which they are written in rules.

use crate::engine::rule_set::RuleSet;
use crate::engine::time::format_duration;
use crate::engine::value::{Ratio, Type};

/// A number of this type, rounded to what its unit keeps.
pub(super) fn shown(ty: Type, value: Ratio, set: &RuleSet) -> String {
    let rounded = |digits: u8| value.rounded(u32::from(digits)).unwrap_or(0);
    match ty {
        Type::Duration => i64::try_from(rounded(0)).map_or_else(|_| "a duration".to_owned(), format_duration),
        Type::Quantity(unit) => match set.units.get(usize::from(unit.0)) {
            Some(info) => {
                let blank = if info.spaced { " " } else { "" };
                format!("{}{blank}{}", decimal(rounded(0), info.scale), info.word)
            }
            None => decimal(rounded(0), 0),
        },
        Type::Money(currency) => format!("{} {}", decimal(rounded(0), currency.decimals()), currency.code()),
        _ => decimal(rounded(6), 6),
    }
}

/// Steps as a decimal, without needless zeros.
fn decimal(steps: i128, scale: u8) -> String {
    let sign = if steps < 0 { "-" } else { "" };
    let width = usize::from(scale).saturating_add(1);
    let digits = format!("{:0>width$}", steps.unsigned_abs());
    let point = digits.len().saturating_sub(usize::from(scale));
    let (whole, rest) = digits.split_at_checked(point).unwrap_or((&digits, ""));
    match rest.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        rest => format!("{sign}{whole}.{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn decimals_keep_their_place() {
        assert_eq!(decimal(435, 1), "43.5");
        assert_eq!(decimal(-5, 2), "-0.05");
        assert_eq!(decimal(600, 1), "60");
        assert_eq!(decimal(7, 0), "7");
    }
}
