//! Arguments that several commands share, derived from the tables of other layers.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::render::diagnostics::{FORMATS, FormatDef};

/// Reads the name of a format of findings; use as `value_parser`.
#[must_use]
pub fn findings_format() -> impl TypedValueParser<Value = &'static FormatDef> {
    let names = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(names).try_map(|name| {
        FORMATS.iter().find(|format| format.name == name).ok_or_else(|| format!("unknown format `{name}`"))
    })
}
