//! The words of every clause and every form of expression.

use super::*;
use crate::engine::source::{FileId, SourceFile, Span, Spanned};
use crate::engine::syntax::ast::ItemKind;
use crate::engine::syntax::parse;

/// All sentences of a rule whose clauses are these lines.
fn explained(clauses: &str) -> String {
    let text = format!("rule r \"R\"\n{clauses}\n");
    let (file, diagnostics) = parse(&SourceFile::new("a.rule", text.as_str()), FileId(0));
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    let sizes = Budgets::from([("stories", "3 per day".to_owned())]);
    match file.items.as_slice() {
        [item] => match &item.kind {
            ItemKind::Rule(rule) => explain(rule, &sizes),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// One clause more than a rule needs gives one sentence more.
fn says(clause: &str, sentence: &str) {
    let all = explained(&format!("  on a.b as n\n  when n.c\n  {clause}"));
    assert!(all.lines().any(|line| line == sentence), "{clause}\n{all}");
}

fn statement(expr: &str, words: &str) {
    let all = explained(&format!("  when {expr}"));
    assert!(all.contains(&format!("\nIt is true when {words}.\n")), "{expr}\n{all}");
}

fn noun(expr: &str, words: &str) {
    statement(&format!("x > {expr}"), &format!("`x` is above {words}"));
}

#[test]
fn a_rule_of_state() {
    let rule = r#"  let      usual = median of health.asleep over 14 days, needs 3, else 7h
  when     health.asleep < 6h
  or       health.asleep < 80% of usual
  then     tell within cautions
  once per day
  say      "You slept {health.asleep}; your usual is {usual}.""#;
    let words = r#"Rule `r` is called "R".
It is looked at whenever `health.asleep` changes, and whenever time alone can change the answer.
It is true when `health.asleep` is below 6h, or `health.asleep` is below 80% of `usual`.
Here `usual` is the median of `health.asleep` over the 14 days before (from at least 3 values, else 7h).
Then it sends you a message without sound, as long as the budget `cautions` lasts.
It speaks at most once for each day.
In quiet hours it is kept until they end, and dropped if it is no longer true then.
It says "You slept {health.asleep}; your usual is {usual}.""#;
    assert_eq!(explained(rule), words);
}

#[test]
fn a_rule_on_items() {
    let rule = r#"  on       news.item as n
  when     n.form in {"8-K", "8-K/A"}
  or       n.title has material
  gather   at most 5 at hourly, oldest first
  then     tell within stories
  expires  72h
  say      "News:" each "{n.company}: {n.title}""#;
    let words = r#"Rule `r` is called "R".
It is looked at once for each new item of `news.item`, called `n` here.
It is true when `n.form` is "8-K" or "8-K/A", or `n.title` mentions something of the list `material`.
Items are collected and handed over together when `hourly` runs, at most 5 at a time, oldest first.
Then it sends you a message without sound, as long as the budget `stories` lasts (3 per day).
It speaks once of each item.
What could not be delivered within 72h is dropped.
In quiet hours it is kept until they end, and dropped if it is no longer true then.
It says "News:", then for each item "{n.company}: {n.title}"."#;
    assert_eq!(explained(rule), words);
}

#[test]
fn a_rule_on_a_schedule() {
    let rule = r#"  on       brief
  gather   f in rules.fired since brief
  then     tell
  say      "You slept {health.asleep}." each "{f.title}" else "Nothing fired.""#;
    let words = r#"Rule `r` is called "R".
It is looked at each time that the schedule `brief` runs.
Every run counts.
For its text it collects the items of `rules.fired` since the last run of `brief`, each called `f` here.
Then it sends you a message without sound.
It speaks at most once for each run.
In quiet hours it is kept until they end, and dropped if it is no longer true then.
It says "You slept {health.asleep}.", then for each item "{f.title}", or if there is none "Nothing fired.""#;
    assert_eq!(explained(rule), words);
}

#[test]
fn the_cause() {
    let cause = |clauses: &str| explained(clauses).lines().nth(1).unwrap().to_owned();
    let time = "and whenever time alone can change the answer.";
    assert_eq!(
        cause("  let u = mean of a.b over 7 days, needs 3\n  when c.d < u\n  unless e fired today"),
        format!("It is looked at whenever `a.b` or `c.d` changes or `e` fires, {time}")
    );
    assert_eq!(
        cause("  when any of a, b fired today"),
        format!("It is looked at whenever `a` or `b` fires, {time}")
    );
    assert_eq!(
        cause("  when some e in a.b today where e.c > d.f"),
        format!("It is looked at whenever `a.b` or `d.f` changes, {time}")
    );
    assert_eq!(
        cause("  when now after 2026-03-16 09:00"),
        "It is looked at whenever time alone can change the answer."
    );
    assert_eq!(
        cause("  on heads-up as e"),
        "It is looked at each time that the schedule `heads-up` runs for an item, called `e` here."
    );
    assert!(explained("  on a.b as n").contains("\nEvery new item counts.\n"));
    assert!(
        explained("  off\n  on brief").contains("\nIt is switched off: nothing of what follows happens.\n")
    );
}

#[test]
fn limits_of_truth() {
    says("for 2 days", "The condition must have held on 2 days in a row.");
    says("for 1 night", "The condition must have held on 1 night in a row.");
    says("for 30min", "The condition must have held for 30min.");
    says("clear when n.c < 3bpm", "Once true, it counts as true until `n.c` is below 3bpm.");
    says("unless other fired today", "Even then it says nothing if `other` fired today.");
    says("unknown silent", "If it cannot tell, it says nothing.");
    says("unknown fire", "If it cannot tell, it acts as if it were true.");
    says("unknown keep", "If it cannot tell, its last answer stays.");
    says("let low = n.c < 3", "Here `low` means that `n.c` is below 3.");
    says("let low = n.c + 3", "Here `low` is `n.c` plus 3.");
}

#[test]
fn gathering_and_delivery() {
    says(
        "gather at hourly, newest first",
        "Items are collected and handed over together when `hourly` runs, newest first.",
    );
    says(
        "gather f in c.d this week where f.e in {3}",
        "For its text it collects the items of `c.d` this week for which `f.e` is 3, each called `f` here.",
    );
    says("then digest at weekly", "Then it waits for the digest at the schedule `weekly`.");
    says("then note", "Then it leaves a note on this machine and sends nothing.");
    says("then ring", "Then it sends you a message with sound.");
    let escalated = "then tell within cautions, then ring after 2h unless seen";
    says(escalated, "Then it sends you a message without sound, as long as the budget `cautions` lasts.");
    says(escalated, "2h later it sends you a message with sound, unless you have seen it.");
    says(
        "then note, then tell within more after 15min",
        "15min later it sends you a message without sound, as long as the budget `more` lasts.",
    );
}

#[test]
fn repetition() {
    let state = explained("  when a.b > 3");
    assert!(
        state.contains("It speaks once each time that it becomes true, and not again until it was false.")
    );
    let each = explained("  when a.b > 3\n  and each e in calendar.event today");
    assert!(each.contains("It speaks of each item once each time that it becomes true of it."), "{each}");
    says("then note", "It speaks at most once for each item.");
    says("once per n, day", "It speaks at most once for each `n` and each day.");
    says("wait 6h", "After a delivery it waits 6h before it speaks again.");
    says("wait 2 days", "After a delivery it waits 2 days before it speaks again.");
    says("expires 1 week", "What could not be delivered within 1 week is dropped.");
}

#[test]
fn the_text() {
    says("then note", "It says its title.");
    says("say \"Up\"", "It says \"Up\".");
    says("say \"Up!\"", "It says \"Up!\"");
    // As it is written, so that it can be copied.
    says(r#"say "a \"b\"\n{{y}} \\ c""#, r#"It says "a \"b\"\n{{y}} \\ c"."#);
    assert!(explained("  when a.b > 3").starts_with("Rule `r` is called \"R\"."));
    says(
        "say \"{n.c age} after {fired}\"",
        "It says \"{the age of `n.c`} after {the titles of the rules that fired}\".",
    );
}

#[test]
fn comparisons() {
    for (op, words) in [
        ("<", "is below"),
        ("<=", "is at most"),
        (">", "is above"),
        (">=", "is at least"),
        ("=", "is exactly"),
        ("!=", "is not"),
    ] {
        statement(&format!("a.b {op} 3bpm"), &format!("`a.b` {words} 3bpm"));
    }
    statement("a.b before 09:00", "`a.b` is before 09:00");
    statement("a.b after 2026-03-16", "`a.b` is after 2026-03-16");
    statement("a.b in 3 to 5", "`a.b` is between 3 and 5, both included");
    statement("not a.b in 3 to 5", "`a.b` is not between 3 and 5, both included");
    statement("a.b in {open, shut}", "`a.b` is `open` or `shut`");
    statement("not a.b in {open, shut}", "`a.b` is none of `open` and `shut`");
    statement("a.b in {open}", "`a.b` is `open`");
    statement("a.b in names", "`a.b` is on the list `names`");
    statement("a.b has names", "`a.b` mentions something of the list `names`");
    statement("not a.b has \"exam*\"", "`a.b` does not mention \"exam*\"");
    statement("a.b is missing", "`a.b` is missing");
    statement("not a.b is missing", "`a.b` is known");
}

#[test]
fn statements_about_others() {
    statement("a.b", "`a.b` is true");
    statement("not a.b", "`a.b` is not true");
    statement("not a.b < 3", "it is not so that `a.b` is below 3");
    statement("(a.b < 3 or a.b > 5) and a.c", "(`a.b` is below 3 or `a.b` is above 5) and `a.c` is true");
    statement("not (a.b < 3 or a.c)", "it is not so that (`a.b` is below 3 or `a.c` is true)");
    statement(
        "at least 2 of (a.b < 3, a.c, d fired today)",
        "at least 2 of these hold (`a.b` is below 3; `a.c` is true; `d` fired today)",
    );
    statement("nothing from source.a, b.c for 12h", "nothing has come from `source.a` or `b.c` for 12h");
    statement("any of a, b, c fired today", "any of `a`, `b` or `c` fired today");
    statement("not a fired today", "`a` has not fired today");
    statement("not any of a, b fired today", "none of `a` and `b` fired today");
}

#[test]
fn questions_about_items() {
    statement("some e in a.b", "there is an item `e` of `a.b`");
    statement("no e in a.b today", "there is no item `e` of `a.b` today");
    statement(
        "each e in a.b now",
        "there is an item `e` of `a.b` going on now (each such item counts on its own)",
    );
    statement(
        "every e in a.b this month where (e.c > 3 or e.d)",
        "for every item `e` of `a.b` this month it is so that `e.c` is above 3 or `e.d` is true",
    );
    for (window, words) in [
        ("rest of today", "in the rest of today"),
        ("last night", "last night"),
        ("over 7 days", "in the last 7 days, today included"),
        ("within last 24h", "within the last 24h"),
        ("within next 90min", "within the next 1h30m"),
        ("since brief", "since the last run of `brief`"),
        ("today in home", "today (in the zone `home`)"),
    ] {
        statement(&format!("some e in a.b {window}"), &format!("there is an item `e` of `a.b` {words}"));
    }
}

#[test]
fn values() {
    for (text, words) in [
        ("3", "3"),
        ("0.80", "0.80"),
        ("56bpm", "56bpm"),
        ("8000 steps", "8000 steps"),
        ("12.50 EUR", "12.50 EUR"),
        ("97%", "97%"),
        ("90min", "1h30m"),
        ("2026-03-16 09:00", "2026-03-16 09:00"),
        ("now", "now"),
        ("a.b age", "the age of `a.b`"),
        ("(a + b) * 3", "(`a` plus `b`) times 3"),
        ("a - b", "`a` minus `b`"),
        ("a / b", "`a` divided by `b`"),
        ("80% of usual", "80% of `usual`"),
        ("a as % of b", "`a` as a percentage of `b`"),
        ("larger of 4bpm and 250% of noise", "the larger of 4bpm and 250% of `noise`"),
        ("smaller of a and b", "the smaller of `a` and `b`"),
        ("strain(a.b, c.d)", "`strain` of `a.b` and `c.d`"),
    ] {
        noun(text, words);
    }
}

#[test]
fn statistics() {
    for (kind, words) in [
        ("median", "median"),
        ("mean", "mean"),
        ("min", "smallest value"),
        ("max", "largest value"),
        ("sum", "sum"),
        ("count", "number of values"),
        ("last", "latest value"),
        ("percentile 90", "90th percentile"),
        ("percentile 12", "12th percentile"),
        ("percentile 2", "2nd percentile"),
        ("sd", "standard deviation"),
        ("spread", "typical spread"),
    ] {
        let before = format!("the {words} of `a.b` over the 3 days before (from at least 2 values)");
        noun(&format!("{kind} of a.b over 3 days, needs 2"), &before);
    }
    for (window, words) in [
        ("over 2 weeks, needs 3, else 4", "over the 2 weeks before (from at least 3 values, else 4)"),
        ("over 3 nights, needs 1", "over the 3 nights before (from at least 1 value)"),
        ("over 7 days, with today, needs 4", "over 7 days, today included (from at least 4 values)"),
        ("within last 24h, needs 3", "within the last 24h (from at least 3 values)"),
    ] {
        noun(&format!("mean of a.b {window}"), &format!("the mean of `a.b` {words}"));
    }
}

#[test]
fn quiet_hours() {
    let nights = || Name::new("nights".to_owned(), Span::default());
    for (policy, words) in [
        (QuietPolicy::Drop, "it is dropped"),
        (QuietPolicy::KeepIfTrue, "it is kept until their end, and dropped if it is no longer true then"),
        (QuietPolicy::Keep, "it is kept until their end"),
        (QuietPolicy::Soften, "it becomes a note on this machine"),
        (QuietPolicy::Pass, "it is delivered all the same"),
    ] {
        let clause = ClauseKind::Quiet(nights(), Spanned::new(policy, Span::default()));
        assert_eq!(limit_of_delivery(&clause), Some(format!("In the quiet hours `nights` {words}.")));
    }
    // Every window applies to every rule, so the default is said with and without lines of its own.
    let kept = "it is kept until they end, and dropped if it is no longer true then.\n";
    assert!(explained("  when a.b > 3").contains(&format!("\nIn quiet hours {kept}")));
    for policy in ["drop", "pass", "soften"] {
        let words = explained(&format!("  when a.b > 3\n  quiet nights: {policy}"));
        assert!(words.contains(&format!(".\nIn all other quiet hours {kept}")), "{words}");
        assert!(!words.contains("\nIn quiet hours"), "{words}");
    }
}
