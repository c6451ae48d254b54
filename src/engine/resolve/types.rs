//! Type words, and how types are named in messages.

use crate::engine::value::{Type, UnitId, UnitInfo};

/// The unit `%`, by its row among the built-in units (held by a test).
pub(crate) const PERCENT: UnitId = UnitId(2);

/// Types whose word is neither a unit nor a currency.
pub(super) const PLAIN_TYPES: &[(&str, Type)] = &[
    ("duration", Type::Duration),
    ("number", Type::Number),
    ("count", Type::Number),
    ("flag", Type::Flag),
    ("word", Type::Word),
    ("text", Type::Text),
    ("instant", Type::Instant),
    ("date", Type::Date),
    ("clock", Type::Clock),
];

/// The type with this word, if it is neither a unit nor a currency.
pub(super) fn plain_type(word: &str) -> Option<Type> {
    PLAIN_TYPES.iter().find(|(known, _)| *known == word).map(|(_, ty)| *ty)
}

/// The type in words, with its article.
pub(crate) fn describe(ty: Type, units: &[UnitInfo]) -> String {
    match ty {
        Type::Duration => "a duration".to_owned(),
        Type::Quantity(unit) => match units.get(usize::from(unit.0)) {
            Some(info) => format!("a quantity in `{}`", info.word),
            None => "a quantity".to_owned(),
        },
        Type::Number => "a plain number".to_owned(),
        Type::Money(currency) => format!("an amount in `{}`", currency.code()),
        Type::Instant => "an instant".to_owned(),
        Type::Date => "a date".to_owned(),
        Type::Clock => "a clock time".to_owned(),
        Type::Text => "a text".to_owned(),
        Type::Word => "a word".to_owned(),
        Type::Flag => "a condition".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::PERCENT;
    use crate::engine::value::BUILTIN_UNITS;

    #[test]
    fn percent_is_the_row_that_it_is_said_to_be() {
        assert_eq!(BUILTIN_UNITS[usize::from(PERCENT.0)].word, "%");
    }
}
