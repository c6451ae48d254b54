//! The parser that pest makes of `grammar/rule.pest`.
//!
//! Only `parse` and `report` look at its tokens; everything else sees the tree.

use std::num::NonZeroUsize;

use pest::Parser as _;
use pest::error::Error;
use pest::iterators::Pairs;

/// The generated parser.
#[derive(Debug, pest_derive::Parser)]
#[grammar = "grammar/rule.pest"]
pub(super) struct RuleParser;

/// Steps that one clause may take. Reading is linear, so this is never reached by a text that fits; it is
/// the second lock. pest keeps it for the whole process.
const CALLS_MAX: Option<NonZeroUsize> = NonZeroUsize::new(5_000_000);

/// Parses a text that must match `rule` from beginning to end.
pub(super) fn tokens(rule: Rule, text: &str) -> Result<Pairs<'_, Rule>, Box<Error<Rule>>> {
    pest::set_call_limit(CALLS_MAX);
    RuleParser::parse(rule, text).map_err(Box::new)
}
