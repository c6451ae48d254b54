//! Rows of what the parser and the resolver report.

use super::lint::{Explain, Lint};
use crate::engine::diagnostic::Severity;
use crate::engine::resolve::id;

const fn reported(id: &'static str, summary: &'static str, explain: Explain) -> Lint {
    Lint { id, severity: Severity::Error, summary, explain, check: None }
}

pub(super) const SYNTAX: Lint = reported(
    "syntax",
    "text that is not a definition of the rule language",
    Explain {
        what: "A definition, a clause or a value cannot be read; the message says what was expected \
               there.",
        why: "What cannot be read cannot be checked or run. The other definitions are still checked.",
        example: "rule short-sleep \"Short night\"\n  when health.asleep <",
    },
);

pub(super) const UNKNOWN_NAME: Lint = reported(
    id::UNKNOWN_NAME,
    "a name that nothing defines",
    Explain {
        what: "A signal, stream, field, rule, list, unit, zone or other name is used and not defined, or \
               stands for something of another kind. The nearest known name is shown.",
        why: "A misspelt name would be missing for ever, and the rule silent.",
        example: "when health.aslep < 6h",
    },
);

pub(super) const UNIT_MISMATCH: Lint = reported(
    id::UNIT_MISMATCH,
    "values whose units, currencies or kinds do not go together",
    Explain {
        what: "Two values are compared or added that count different things, a condition stands where a \
               value is needed, or a value where a condition is.",
        why: "The result would have no meaning; currencies and units are never converted silently.",
        example: "when health.asleep < 6bpm",
    },
);

pub(super) const TOO_MANY_DECIMALS: Lint = reported(
    id::TOO_MANY_DECIMALS,
    "a literal with more decimals than its unit keeps",
    Explain {
        what: "A number is written more finely than values of its unit are stored.",
        why: "No reading can ever lie between two steps, so the comparison would not be the one that is \
              written.",
        example: "when health.resting < 60.25bpm   # `bpm` keeps 1 decimal",
    },
);

pub(super) const DUPLICATE_NAME: Lint = reported(
    id::DUPLICATE_NAME,
    "a name that is defined twice",
    Explain {
        what: "Two definitions of the set have one name, a local name of a rule is taken, or a name is \
               built in. It is reported at each later place.",
        why: "Which of them counts would depend on the order of files, which never matters.",
        example: "list training = \"gym\"\nlist training = \"swim*\"",
    },
);

pub(super) const CYCLE: Lint = reported(
    id::CYCLE,
    "`let`s or rules that need each other",
    Explain {
        what: "A `let` is used in its own value, or a rule asks whether a rule fired that asks for it in \
               turn.",
        why: "There is no order in which they could be judged.",
        example: "let a = b + 1h\nlet b = a - 1h",
    },
);

pub(super) const MISSING_ZONE: Lint = reported(
    id::MISSING_ZONE,
    "calendar words without a zone",
    Explain {
        what: "Days, clock times or schedules are used and no zone is declared, or several are and not \
               exactly one is the default.",
        why: "The machine's zone is never used, so nobody would know when a day begins.",
        example: "quiet nights = 23:00 to 07:00   # and no `zone` anywhere",
    },
);

pub(super) const UNBOUND_VALUE: Lint = reported(
    id::UNBOUND_VALUE,
    "a value of an item that is not bound there",
    Explain {
        what: "A text, a key or a later line names a field of an item that only one branch of an `or`, \
               or a `no` or `every`, speaks of; or `{fired}` stands in a rule that asks for no firing.",
        why: "There may be no such item when the rule speaks.",
        example: "when health.asleep < 6h\nor   some e in calendar.event today\nsay  \"{e.title}\"",
    },
);

pub(super) const MISSING_PART: Lint = reported(
    id::MISSING_PART,
    "something required is not written",
    Explain {
        what: "A signal without `fresh`, a statistic without `needs`, a rule without a condition or \
               without `then`, and the like.",
        why: "Leaving it out would mean a silent guess.",
        example: "signal health.hrv ms daily",
    },
);

pub(super) const OUT_OF_PLACE: Lint = reported(
    id::OUT_OF_PLACE,
    "something that has no meaning where it stands",
    Explain {
        what: "A clause is written twice or does not go with the rest of its rule, or a value stands \
               where it cannot.",
        why: "It would be ignored, and the rule would not do what it says.",
        example: "on   news.item as n\n…\nfor  2 days",
    },
);

pub(super) const BAD_VALUE: Lint = reported(
    id::BAD_VALUE,
    "a value outside of what is possible there",
    Explain {
        what: "A percentile over 100, a range that ends before it begins, a budget of 0, a date that \
               does not exist, and the like.",
        why: "It cannot be meant.",
        example: "signal health.hrv ms daily fresh 24h range 250ms to 5ms",
    },
);

pub(super) const FUNCTION_BOUNDS: Lint = reported(
    id::FUNCTION_BOUNDS,
    "a script that does not compile or breaks its limits",
    Explain {
        what: "The script of a `function` has a mistake, does not take the parameters that are declared, \
               or does something that scripts may not do.",
        why: "Its result would always be missing.",
        example: "function strain (hrv ms) -> number from \"lib/strain.rhai\"",
    },
);
