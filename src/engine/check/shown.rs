//! Values in messages, in the form in which they are written in rules.

use crate::engine::rule_set::RuleSet;
use crate::engine::time::format_duration;
use crate::engine::value::decimal::short_decimal;
use crate::engine::value::{NUMBER_DECIMALS, Ratio, Type};

/// A number of this type, rounded to what its unit keeps.
pub(super) fn shown(ty: Type, value: Ratio, set: &RuleSet) -> String {
    let rounded = |digits: u8| value.rounded(u32::from(digits)).unwrap_or(0);
    match ty {
        Type::Duration => i64::try_from(rounded(0)).map_or_else(|_| "a duration".to_owned(), format_duration),
        Type::Quantity(unit) => match set.units.get(usize::from(unit.0)) {
            Some(info) => {
                let blank = if info.spaced { " " } else { "" };
                format!("{}{blank}{}", short_decimal(rounded(0), info.scale), info.word)
            }
            None => short_decimal(rounded(0), 0),
        },
        Type::Money(currency) => {
            format!("{} {}", short_decimal(rounded(0), currency.decimals()), currency.code())
        }
        _ => short_decimal(rounded(NUMBER_DECIMALS), NUMBER_DECIMALS),
    }
}
