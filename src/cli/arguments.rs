//! Arguments that several commands share; their words come from the tables of other layers.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::engine::time::{Date, Zone, parse_date};
use crate::render::diagnostics::{FORMATS, FormatDef};

/// Reads a date; use as `value_parser`.
///
/// # Errors
/// When it is none.
pub fn date(text: &str) -> Result<Date, String> {
    parse_date(text).map_err(|error| error.to_string())
}

/// Reads the name of a zone; use as `value_parser`.
///
/// # Errors
/// When there is none of that name; the nearest is offered.
pub fn zone(name: &str) -> Result<Zone, String> {
    Zone::parse(name).ok_or_else(|| match Zone::suggest(name) {
        Some(near) => format!("expected an IANA zone, did you mean `{near}`?"),
        None => "expected an IANA zone such as `America/Toronto`".to_owned(),
    })
}

/// Reads the name of a format of findings; use as `value_parser`.
#[must_use]
pub fn findings_format() -> impl TypedValueParser<Value = &'static FormatDef> {
    let names = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(names).try_map(|name| {
        FORMATS.iter().find(|format| format.name == name).ok_or_else(|| format!("unknown format `{name}`"))
    })
}
