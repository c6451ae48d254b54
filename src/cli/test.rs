//! `verger test`: runs the `test` blocks.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use super::rule_files::{self, RuleFiles};
use super::{CommandDef, Context, Exit, Run};
use crate::engine::scenario::{self, Failure, Report};
use crate::engine::source::Span;
use crate::engine::syntax::ast::Test;
use crate::engine::time::{Instant, Zone, format_instant};
use crate::engine::why::{ReadValue, why};
use crate::render::terminal::shown_lines;

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<TestArgs>("test", "Run the tests that stand beside the rules");

/// Arguments of `test`.
#[derive(Debug, Args)]
struct TestArgs {
    /// Rule files, or folders of them [default: rules]
    paths: Vec<PathBuf>,
}

impl Run for TestArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let paths = rule_files::paths(context, &self.paths)?;
        let files = rule_files::load(&paths, None)?.sound(context)?;
        let (mut passed, mut failed) = (0_usize, 0_usize);
        for test in &files.rules.tests {
            let report = scenario::run(&files.rules, test);
            if report.failures.is_empty() && report.expectations > 0 {
                passed += 1;
                continue;
            }
            failed += 1;
            let text = failure_text(&files, test, &report).context("a failure cannot be shown")?;
            context.console.print(shown_lines(&text))?;
        }
        context.console.line(format!("{passed} passed, {failed} failed"))?;
        if passed + failed == 0 {
            context.console.note("no `test` block was found, which counts as a failure")?;
        }
        Ok(if failed > 0 || passed == 0 { Exit::Difference } else { Exit::Fine })
    }
}

fn failure_text(files: &RuleFiles, test: &Test, report: &Report) -> anyhow::Result<String> {
    let place = |span: Span| {
        let file = files.sources.get(span.file);
        file.map_or_else(String::new, |file| format!("{}:{}", file.path, file.line_column(span.start).0))
    };
    let title = report.title.as_ref().map(|title| format!(" \"{title}\"")).unwrap_or_default();
    let mut text = format!("failed: {}{title} ({})\n", report.name, place(report.span));
    if report.expectations == 0 {
        text.push_str("  it expects nothing\n");
    }
    for failure in &report.failures {
        let when = written(report.zone, failure.at);
        text.push_str(&format!("  {}\n  expected  {when} {}\n", place(failure.span), failure.expected));
        if failure.got.is_empty() {
            text.push_str("  got       nothing of this rule within a day\n");
        }
        for decision in &failure.got {
            let when = written(report.zone, decision.at);
            text.push_str(&format!("  got       {when} {}\n", scenario::decision_in_words(decision)));
            if failure.asks_per && decision.per.is_empty() {
                text.push_str("            without `per`: the rule has no `once per`\n");
            }
            if let Some(reason) = &decision.reason {
                text.push_str(&format!("            ({reason})\n"));
            }
        }
        text.push_str(&decided(files, test, failure));
    }
    Ok(text)
}

/// An instant as tests write it: `2026-09-26 07:00`, with seconds where there are any.
fn written(zone: Zone, at: Instant) -> String {
    let text = format_instant(zone, at);
    let part = |range| text.get(range).unwrap_or_default();
    let seconds = if part(16..19) == ":00" { "" } else { part(16..19) };
    format!("{} {}{seconds}", part(0..10), part(11..16))
}

/// The clause that decided, by asking why at the expected instant.
fn decided(files: &RuleFiles, test: &Test, failure: &Failure) -> String {
    let Some(id) = failure.rule.as_ref().and_then(|rule| files.rules.rule_named(rule)) else {
        return String::new();
    };
    let state = scenario::state_at(&files.rules, test, failure.at);
    let Some(why) = why(&files.rules, &state, id, &files.sources) else { return String::new() };
    let mut text = String::new();
    for clause in &why.clauses {
        let value = |ReadValue { name, value }: &ReadValue| format!("{name} = {value}");
        let values: Vec<_> = clause.values.iter().map(value).collect();
        let values = if values.is_empty() { String::new() } else { format!("   [{}]", values.join(", ")) };
        text.push_str(&format!("  {:<8}  {}{values}\n", clause.verdict.word(), clause.text));
    }
    text
}
