//! `verger connector`: what the sources give right now. Reads them without telling the engine; keeps nothing.

use anyhow::bail;
use clap::{Args, Subcommand};

use super::working_folder::FolderArgs;
use crate::cli::output::counted;
use crate::cli::{CommandDef, Context, Exit, Run};
use crate::connectors::SOURCES;
use crate::connectors::source::{Failure, Memory, Reading};
use crate::engine::nearest::did_you_mean;
use crate::engine::time::Zone;
use crate::render::json_line;
use crate::shell::sources::LiveSource;
use crate::shell::try_source::read_once;

/// The row.
pub(super) const DEF: CommandDef = CommandDef::of::<ConnectorArgs>(
    "connector",
    "Read sources now, to see what they give and whether they work",
);

/// Lines that `read` shows; `--json` shows all.
const LINES_MAX: usize = 40;

/// Arguments of `connector`.
#[derive(Debug, Args)]
struct ConnectorArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Show what a source gives right now
    Read(ReadArgs),
    /// Read every source once and say which of them work
    Check(CheckArgs),
    /// List the kinds of sources with their keys
    Kinds,
}

#[derive(Debug, Args)]
struct ReadArgs {
    /// The source, as `connectors.toml` names it
    name: String,
    #[command(flatten)]
    folder: FolderArgs,
    /// Every line of it, as recorded days have them
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct CheckArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// One source a line, as JSON
    #[arg(long)]
    json: bool,
}

impl Run for ConnectorArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        match self.what {
            What::Read(args) => args.run(context),
            What::Check(args) => args.run(context),
            What::Kinds => kinds(context),
        }
    }
}

impl ReadArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let (sources, zone) = load(&self.folder, context)?;
        let Some(source) = sources.iter().find(|source| source.name == self.name) else {
            match did_you_mean(&self.name, sources.iter().map(|source| source.name.as_str())) {
                Some(question) => bail!("no source `{}`, {question}", self.name),
                None => bail!("`connectors.toml` has no source `{}`", self.name),
            }
        };
        let reading = match read_once(source, zone, Memory::default()) {
            Ok(reading) => reading,
            Err(failure) => bail!("source `{}`: {failure}", self.name),
        };
        let most = if self.json { reading.lines.len() } else { LINES_MAX };
        for line in reading.lines.iter().take(most) {
            context.console.line(line)?;
        }
        let more = reading.lines.len().saturating_sub(most);
        if more > 0 {
            context.console.note(format!("and {} more: --json shows all", counted(more, "line")))?;
        }
        for note in &reading.notes {
            context.console.note(note)?;
        }
        context.console.note(sum(&reading))?;
        Ok(Exit::Fine)
    }
}

impl CheckArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let (sources, zone) = load(&self.folder, context)?;
        if sources.is_empty() {
            bail!("`connectors.toml` has no sources, or is not there: see `verger connector kinds`");
        }
        let mut fails = false;
        for source in &sources {
            let result = read_once(source, zone, Memory::default());
            fails |= result.is_err();
            let text = if self.json { json(source, &result) } else { sentence(source, &result) };
            context.console.line(text)?;
        }
        Ok(if fails { Exit::Difference } else { Exit::Fine })
    }
}

fn load(args: &FolderArgs, context: &Context<'_, '_>) -> anyhow::Result<(Vec<LiveSource>, Zone)> {
    let folder = args.folder(context)?;
    let rules = folder.rule_files().map_err(|report| anyhow::anyhow!(report))?.rules;
    let file = folder.sources(&rules).map_err(|report| anyhow::anyhow!(report))?;
    Ok((file.sources, rules.home()))
}

fn sum(reading: &Reading) -> String {
    counted(reading.lines.len(), "line")
}

fn sentence(source: &LiveSource, result: &Result<Reading, Failure>) -> String {
    let said = match result {
        Ok(reading) => {
            let notes: String = reading.notes.iter().map(|note| format!("; {note}")).collect();
            format!("well, {}{notes}", sum(reading))
        }
        Err(failure) => format!("fails: {failure}"),
    };
    format!("{} ({}): {said}", source.name, source.kind.name)
}

fn json(source: &LiveSource, result: &Result<Reading, Failure>) -> String {
    let (lines, notes, failure) = match result {
        Ok(reading) => (Some(reading.lines.len()), reading.notes.clone(), None),
        Err(failure) => (None, Vec::new(), Some(failure.to_string())),
    };
    json_line(&serde_json::json!({
        "name": source.name, "kind": source.kind.name, "works": failure.is_none(),
        "lines": lines, "notes": notes, "failure": failure,
    }))
}

fn kinds(context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
    for kind in SOURCES {
        context.console.line(format!("{}: {}", kind.name, kind.about))?;
        for option in kind.options {
            let needed = if option.required { " (needed)" } else { "" };
            context.console.line(format!("  {:<14} {}{needed}", option.key, option.about))?;
        }
    }
    context
        .console
        .note("every kind also has `every`, `as` (other names for its signals and streams) and `off`")?;
    Ok(Exit::Fine)
}
