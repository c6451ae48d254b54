//! What pest found wrong, in the user's words.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::hints::{self, Found};
use super::{Context, Rule};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::habits;

/// How many things an answer may list.
const MOST: usize = 6;

/// The end of a text.
const END: &str = "the end of the line";

/// One diagnostic for one text that could not be read: what was expected, what was found, what to do.
pub(super) fn report(context: &Context<'_>, read: Rule, error: &Error<Rule>) -> Diagnostic {
    let offset = match error.location {
        InputLocation::Pos(offset) | InputLocation::Span((offset, _)) => offset,
    };
    let offset = skip_blanks(context.text, offset);
    let span = context.at(offset);
    let ErrorVariant::ParsingError { positives, negatives } = &error.variant else {
        return Diagnostic::error("syntax", span, "this takes too long to read").help("write it shorter");
    };
    // A word that may not stand there, where only a unit may.
    let unit = [Rule::unit_name];
    let barred = positives.is_empty() && negatives.contains(&Rule::signal_word);
    let positives: &[Rule] = if barred { &unit } else { positives };
    let (offset, positives) = whole_number(context.text, read, offset, positives);
    let sign = habits::sign(context.text, offset).filter(|sign| !sign.is_word());
    if let Some(sign) = sign.filter(habits::Sign::joins) {
        let span = context.span(sign.start, sign.start + sign.text.len());
        return Diagnostic::error("syntax", span, format!("there is no sign `{}`", sign.text))
            .help(sign.help);
    }
    let offset = sign.map_or(offset, |sign| sign.start);
    let span = context.at(offset);
    let rest = context.text.get(offset..).unwrap_or("");
    let found = sign.map_or_else(|| hints::found(rest), |sign| Found::Word(sign.text));
    let end = if read == Rule::hole { "the end of the braces" } else { END };
    let shown = match &found {
        Found::Nothing => end.to_owned(),
        Found::Text => "a text".to_owned(),
        Found::Word(word) => format!("`{word}`"),
    };
    let mut message = expected(&positives, end);
    if !(matches!(found, Found::Nothing) && positives.contains(&Rule::EOI)) {
        message = format!("{message}, found {shown}");
    }
    let length = found.len(rest);
    let span = if length > 0 { context.span(offset, offset + length) } else { span };
    let error = Diagnostic::error("syntax", span, message);
    match hints::hint(context.text, offset, &found, &positives) {
        Some(help) => error.help(help),
        None => error,
    }
}

/// A number whose unit is wrong is looked at as a whole, with what the clause takes.
fn whole_number(text: &str, read: Rule, offset: usize, positives: &[Rule]) -> (usize, Vec<Rule>) {
    if positives != [Rule::cal_unit] {
        return (offset, positives.to_vec());
    }
    let before = text.get(..offset).unwrap_or("").trim_end();
    let start = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    (start, vec![if read == Rule::c_length { Rule::length } else { Rule::cal_span }])
}

/// `expected …`, at most so many things, the end last.
fn expected(positives: &[Rule], end: &str) -> String {
    let mut list: Vec<String> = Vec::new();
    // Where an operator may follow, so may much that nobody looks for.
    let operator = positives.contains(&Rule::sign);
    let number = positives.contains(&Rule::unit);
    let rare = |rule: Rule| match rule {
        Rule::EOI => true,
        Rule::open | Rule::cal_unit | Rule::unit => operator,
        Rule::k_of => operator && number,
        _ => false,
    };
    for rule in positives.iter().filter(|rule| !rare(**rule)) {
        if let Some(word) = word(*rule).filter(|word| !list.contains(word)) {
            list.push(word);
        }
    }
    let ends = positives.contains(&Rule::EOI);
    if ends && list.len() >= MOST {
        return format!("expected {end} or a word that continues it");
    }
    if ends {
        list.push(end.to_owned());
    }
    if list.len() > 1 {
        list = list
            .iter()
            .flat_map(|item| item.replace(" or ", ", ").split(", ").map(str::to_owned).collect::<Vec<_>>())
            .collect();
    }
    match list.as_slice() {
        [] => "this cannot be read".to_owned(),
        [only] => format!("expected {only}"),
        [head @ .., last] if list.len() <= 2 * MOST => format!("expected {} or {last}", head.join(", ")),
        many => format!("expected {} or the like", many.get(..2 * MOST).unwrap_or(many).join(", ")),
    }
}

/// Past the blanks that pest had not yet skipped.
fn skip_blanks(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or("");
    offset + (rest.len() - rest.trim_start().len())
}

/// A grammar rule in words, if it has any.
fn word(rule: Rule) -> Option<String> {
    let plain = match rule {
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
        Rule::date | Rule::moment => "a date such as `2026-03-16`",
        Rule::clock | Rule::clocks => "a time such as `09:00`",
        Rule::instant => "a date and time such as `2026-03-16 09:00`",
        Rule::duration => "a duration such as `30min`",
        Rule::cal_span | Rule::cal_unit => "a number of days such as `14 days`",
        Rule::length => "a duration such as `30min` or a number of days",
        Rule::weekday => "a weekday such as `Mon`",
        Rule::period => "`hour`, `day`, `week` or `month`",
        Rule::level => "`digest`, `note`, `tell` or `ring`",
        Rule::gate => "a gate such as `quiet`",
        Rule::outcome => "`delivered`, `kept`, `digested`, `suppressed` or `expired`",
        Rule::or_expr | Rule::condition | Rule::hole | Rule::check => "a condition",
        Rule::sum | Rule::atom | Rule::series_value => "a value",
        Rule::compare_op => "a comparison",
        Rule::sign | Rule::as_percent => "an operator",
        Rule::joiner => "`and`, `or`",
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
        Rule::signal_part => "how often it comes, `fresh`, `range` or `private`",
        Rule::zone_part => "`default`, `gap` or `fold`",
        Rule::quantifier => "`some`, `each`, `no` or `every`",
        Rule::fresh => "`fresh`",
        Rule::range => "`range`",
        Rule::timed => "`timed`",
        Rule::gap => "`skip` or `after`",
        Rule::fold => "`first`, `second` or `both`",
        Rule::quiet_window => "a window such as `23:00 to 07:00`",
        Rule::t_expect | Rule::expected => {
            "a decision, such as `2026-03-16 09:00 brief tell delivered`, or `nothing else`"
        }
        _ => return other(rule),
    };
    Some(plain.to_owned())
}

/// A keyword as it is written. The names of other rules tell nobody anything.
fn other(rule: Rule) -> Option<String> {
    keyword(rule).map(|word| format!("`{word}`"))
}

/// The word that a rule of one keyword reads.
pub(super) fn keyword(rule: Rule) -> Option<String> {
    format!("{rule:?}").strip_prefix("k_").map(str::to_owned)
}
