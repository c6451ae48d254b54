//! The answer to why, as text and as JSON.

use serde::Serialize;
use serde::ser::SerializeMap as _;

use crate::engine::decision::Decision;
use crate::engine::time::{Instant, Zone, format_instant, show_instant};
use crate::engine::why::{ClauseWhy, ReadValue, Why};
use crate::render::terminal::shown;

/// What is said about a rule at a moment.
pub(super) struct Answer<'a> {
    /// Its name.
    pub(super) rule: &'a str,
    /// The moment.
    pub(super) at: Instant,
    /// The set's zone.
    pub(super) zone: Zone,
    /// The judgement.
    pub(super) why: &'a Why,
    /// What became of its last trigger on that date.
    pub(super) last: Option<&'a Decision>,
}

impl Answer<'_> {
    /// Why there was no trigger, in the words of the clauses.
    fn reason(&self) -> Option<String> {
        if let Some(decision) = self.last {
            return decision.reason.as_ref().map(ToString::to_string);
        }
        let blocking = self.why.clauses.iter().find(|clause| !clause.verdict.is_true());
        let Some(clause) = blocking.filter(|_| !self.why.verdict.is_true()) else {
            return Some("nothing new: its identity was used up before".to_owned());
        };
        Some(format!("`{}` is {}", clause.text, clause.verdict.word()))
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let when = show_instant(self.zone, self.at, self.zone.date(self.at));
        let mut text =
            format!("{} at {} {when}: {}\n", self.rule, self.zone.date(self.at), self.why.verdict.word());
        for clause in &self.why.clauses {
            text.push_str(&format!(
                "  {:<8} {}  (line {})\n",
                clause.verdict.word(),
                clause.text,
                clause.line
            ));
            for ReadValue { name, value } in &clause.values {
                text.push_str(&shown(&format!("             {name}: {value}")));
                text.push('\n');
            }
        }
        text.push_str(&self.ending());
        text
    }

    fn ending(&self) -> String {
        let reason = self.reason().map(|reason| format!(": {reason}")).unwrap_or_default();
        match self.last {
            None => format!("no trigger{reason}\n"),
            Some(decision) => {
                let when = show_instant(self.zone, decision.at, self.zone.date(self.at));
                let outcome = decision.outcome.word();
                let gate = decision.gate.as_ref().map(|gate| format!(" by {gate}")).unwrap_or_default();
                format!("{outcome}{gate} at {when}{reason}\n")
            }
        }
    }
}

impl Serialize for Answer<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("rule", self.rule)?;
        map.serialize_entry("at", &format_instant(self.zone, self.at))?;
        map.serialize_entry("verdict", self.why.verdict.word())?;
        let clauses: Vec<_> = self.why.clauses.iter().map(Clause).collect();
        map.serialize_entry("clauses", &clauses)?;
        map.serialize_entry("outcome", &self.last.map(|decision| decision.outcome.word()))?;
        map.serialize_entry("gate", &self.last.and_then(|decision| decision.gate.as_deref()))?;
        map.serialize_entry("reason", &self.reason())?;
        map.end()
    }
}

struct Clause<'a>(&'a ClauseWhy);

impl Serialize for Clause<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("text", &self.0.text)?;
        map.serialize_entry("line", &self.0.line)?;
        map.serialize_entry("verdict", self.0.verdict.word())?;
        map.serialize_entry("values", &Values(&self.0.values))?;
        map.end()
    }
}

/// By name.
struct Values<'a>(&'a [ReadValue]);

impl Serialize for Values<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|ReadValue { name, value }| (&**name, &**value)))
    }
}
