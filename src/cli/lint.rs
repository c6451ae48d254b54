//! `verger lint`: what is wrong with the rules, and with the sources beside them.

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::output::counted;
use super::{CommandDef, Context, Exit, Run, arguments, rule_files, sources_file};
use crate::config;
use crate::engine::check::{LINTS, Lint};
use crate::engine::diagnostic::Severity;
use crate::engine::nearest::did_you_mean;
use crate::engine::time::Date;
use crate::render::diagnostics::{CatalogueEntry, FormatDef, Report};

/// The row.
pub(super) const DEF: CommandDef = CommandDef::of::<LintArgs>("lint", "Say what is wrong with the rules");

/// Arguments of `lint`.
#[derive(Debug, Args)]
struct LintArgs {
    /// Rule files, or folders of them [default: rules, and connectors.toml where there is one]
    paths: Vec<PathBuf>,
    /// How findings are written
    #[arg(long, default_value = "text", value_parser = arguments::findings_format())]
    format: &'static FormatDef,
    /// Explain what an id means, and nothing else
    #[arg(long, value_name = "ID", conflicts_with = "paths")]
    explain: Option<String>,
    /// The date on which suppressions with `until` are judged; without it none has run out
    #[arg(long, value_name = "DATE", value_parser = arguments::date)]
    today: Option<Date>,
    /// Let warnings fail the run too
    #[arg(long, value_name = "WHAT", value_parser = ["warnings"])]
    deny: Option<String>,
}

impl Run for LintArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        if let Some(id) = &self.explain {
            return explain(id, context);
        }
        let paths = rule_files::paths(context, &self.paths)?;
        let mut files = rule_files::load(&paths, self.today)?;
        if self.paths.is_empty() {
            sources_too(context, &mut files)?;
        }
        let catalogue: Vec<_> = all().map(entry).collect();
        let found = files.findings.len();
        let most = self.format.findings_max.unwrap_or(found).min(found);
        let report = Report {
            findings: files.findings.get(..most).unwrap_or(&files.findings),
            sources: &files.sources,
            catalogue: &catalogue,
            color: context.console.colors_results(),
        };
        context.console.print((self.format.render)(&report))?;
        if found > most {
            context.console.note(format!("and {} more findings", found - most))?;
        }
        let count = |severity| files.findings.iter().filter(|finding| finding.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let said = [(files.rules.rules.len(), "rule"), (errors, "error"), (warnings, "warning")];
        context.console.note(said.map(|(number, noun)| counted(number, noun)).join(", "))?;
        files.advise(context)?;
        // The process ends now: giving back every node of a large set would take a tenth of the whole run.
        std::mem::forget(files);
        let fails = errors > 0 || (warnings > 0 && self.deny.is_some());
        Ok(if fails { Exit::Difference } else { Exit::Fine })
    }
}

/// The file of the sources, where the working folder has one.
fn sources_too(context: &Context<'_, '_>, files: &mut rule_files::RuleFiles) -> anyhow::Result<()> {
    let path = context.default_path(sources_file::NAME);
    if super::files::is_there(&path) {
        let rules = (!files.has_errors()).then_some(&files.rules);
        let (_, _, findings) = sources_file::read(&path, rules, &mut files.sources)?;
        files.findings.extend(findings);
    }
    Ok(())
}

/// Every id that is reported anywhere.
fn all() -> impl Iterator<Item = &'static Lint> {
    LINTS.iter().chain(config::LINTS)
}

fn entry(lint: &'static Lint) -> CatalogueEntry<'static> {
    CatalogueEntry { id: lint.id, summary: lint.summary, explanation: Cow::Owned(explanation(lint)) }
}

fn explanation(lint: &Lint) -> String {
    let explain = &lint.explain;
    format!(
        "{}\n\nWhy: {}\n\nExample:\n{}",
        explain.what.trim(),
        explain.why.trim(),
        explain.example.trim_end()
    )
}

fn explain(id: &str, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
    let Some(lint) = all().find(|lint| lint.id == id) else {
        match did_you_mean(id, all().map(|lint| lint.id)) {
            Some(question) => bail!("unknown id `{id}`, {question}"),
            None => {
                let ids: Vec<_> = all().map(|lint| format!("`{}`", lint.id)).collect();
                bail!("unknown id `{id}`, expected one of {}", ids.join(", "))
            }
        }
    };
    let severity = lint.severity.word();
    let text = format!("{} ({severity}): {}\n\n{}\n", lint.id, lint.summary, explanation(lint));
    context.console.print(text)?;
    Ok(Exit::Fine)
}
