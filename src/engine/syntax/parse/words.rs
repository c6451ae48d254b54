//! What pest found wrong, in the user's words.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::{Context, Rule};
use crate::engine::diagnostic::Diagnostic;

/// How many things an answer may list.
const MOST: usize = 6;

/// One diagnostic for one text that could not be read.
pub(super) fn report(context: &Context<'_>, error: &Error<Rule>) -> Diagnostic {
    let offset = match error.location {
        InputLocation::Pos(offset) | InputLocation::Span((offset, _)) => offset,
    };
    let offset = skip_blanks(context.text, offset);
    let span = context.at(offset);
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        return Diagnostic::error("syntax", span, "this takes too long to read").help("write it shorter");
    };
    let mut expected: Vec<String> = Vec::new();
    for rule in positives {
        let word = word(*rule);
        if !expected.contains(&word) {
            expected.push(word);
        }
    }
    let message = match expected.as_slice() {
        [] => "this cannot be read".to_owned(),
        [only] => format!("expected {only}"),
        [head @ .., last] if expected.len() <= MOST => format!("expected {} or {last}", head.join(", ")),
        _ if expected.iter().any(|word| word == END) => {
            format!("expected {END} or a word that continues it")
        }
        many => format!("expected {} or the like", many.get(..MOST).unwrap_or(many).join(", ")),
    };
    Diagnostic::error("syntax", span, message)
}

/// Past the blanks that pest had not yet skipped.
fn skip_blanks(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or("");
    offset + (rest.len() - rest.trim_start().len())
}

/// The end of a text.
const END: &str = "the end of the line";

/// A grammar rule in words.
fn word(rule: Rule) -> String {
    let plain = match rule {
        Rule::EOI => END,
        Rule::comma => "`,`",
        Rule::colon => "`:`",
        Rule::eq => "`=`",
        Rule::open => "`(`",
        Rule::close => "`)`",
        Rule::brace => "`{`",
        Rule::unbrace => "`}`",
        Rule::bar => "`|`",
        Rule::arrow => "`->`",
        Rule::name | Rule::names | Rule::path | Rule::field_name => "a name",
        Rule::unit_name | Rule::unit => "a unit",
        Rule::text => "a text in quotes",
        Rule::int | Rule::decimal | Rule::quantity | Rule::int_part => "a number",
        Rule::date => "a date such as `2026-03-16`",
        Rule::clock | Rule::clocks => "a time such as `09:00`",
        Rule::instant => "a date and time such as `2026-03-16 09:00`",
        Rule::duration => "a duration such as `30min`",
        Rule::cal_span | Rule::cal_unit => "a number of days",
        Rule::length => "a duration such as `30min` or a number of days",
        Rule::weekday => "a weekday such as `Mon`",
        Rule::period => "`hour`, `day`, `week` or `month`",
        Rule::level => "`digest`, `note`, `tell` or `ring`",
        Rule::gate => "a gate such as `quiet`",
        Rule::outcome => "`delivered`, `kept`, `digested`, `suppressed` or `expired`",
        Rule::or_expr | Rule::and_expr | Rule::not_expr | Rule::check => "a condition",
        Rule::sum | Rule::product | Rule::postfix | Rule::atom | Rule::series_value => "a value",
        Rule::tail | Rule::compare | Rule::compare_op => "a comparison",
        Rule::add_op | Rule::mul_op | Rule::as_percent => "an operator",
        Rule::item_window | Rule::window_kind => "a window such as `today`",
        Rule::stat_window => "`over` or `within last`",
        Rule::cell => "a cell",
        Rule::cadence => "how often it comes, such as `daily`",
        Rule::schedule_kind => "when it runs, such as `daily at 07:30`",
        Rule::late => "`until`, `skip` or a duration",
        Rule::quiet_policy => "`drop`, `keep until end`, `soften` or `pass`",
        Rule::unknown_policy => "`silent`, `fire` or `keep`",
        Rule::in_zone => "`in`",
        Rule::filter => "`where`",
        Rule::item_at | Rule::digest_at => "`at`",
        Rule::budget => "`within`",
        Rule::removed => "`removed`",
        Rule::item_field => "a field and its value",
        Rule::repeat => "a repeat such as `x3`",
        Rule::escalate | Rule::stat_part => "`,`",
        Rule::unless_seen => "`unless seen`",
        Rule::quantifier => "`some`, `each`, `no` or `every`",
        Rule::fresh => "`fresh`",
        Rule::range => "`range`",
        Rule::timed => "`timed`",
        Rule::gap => "`skip` or `after`",
        Rule::fold => "`first`, `second` or `both`",
        _ => return other(rule),
    };
    plain.to_owned()
}

/// A keyword as it is written; any other rule by its own name.
fn other(rule: Rule) -> String {
    let name = format!("{rule:?}");
    let bare = name.strip_prefix("k_").unwrap_or(&name);
    format!("`{}`", bare.replace('_', " "))
}
