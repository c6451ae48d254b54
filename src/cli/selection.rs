//! Which lines of a log are shown: between two dates, of one rule.

use anyhow::bail;

use crate::engine::decision::Line;
use crate::engine::time::{Date, Zone};

/// What was asked for; what is absent chooses nothing.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    from: Option<Date>,
    to: Option<Date>,
    rule: Option<&'a str>,
}

impl<'a> Selection<'a> {
    /// Both dates are included.
    ///
    /// # Errors
    /// When the first date is later than the last.
    pub(super) fn new(from: Option<Date>, to: Option<Date>, rule: Option<&'a str>) -> anyhow::Result<Self> {
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            bail!("`--from {from}` is later than `--to {to}`");
        }
        Ok(Self { from, to, rule })
    }

    /// True when a line is shown; a missed run is of no rule.
    pub(super) fn shows(&self, line: &Line, zone: Zone) -> bool {
        let date = zone.date(line.at());
        let of_rule = match (self.rule, line) {
            (None, _) => true,
            (Some(rule), Line::Decision(decision)) => *rule == *decision.rule,
            (Some(_), Line::Missed { .. }) => false,
        };
        of_rule && self.from.is_none_or(|from| date >= from) && self.to.is_none_or(|to| date <= to)
    }
}
