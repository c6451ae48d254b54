//! What lies in a working folder, as the watch needs it: rules and `connectors.toml`, sound, or the report of
//! what is wrong.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::rule_files::{self, RuleFiles, RulesDir};
use crate::cli::{Context, files, sources_file};
use crate::config::{Entry, Watching, Written};
use crate::engine::diagnostic::{Diagnostic, Severity};
use crate::engine::rule_set::RuleSet;
use crate::engine::source::Sources;
use crate::engine::time::Zone;
use crate::render::diagnostics::{FORMATS, Report};
use crate::shell::agent::Loaded;
use crate::shell::folder::DataFolder;
use crate::shell::secret;
use crate::shell::sources::LiveSource;
use crate::store;

/// Time between two pings where none is written, in milliseconds: five minutes.
const PING_MS: i64 = 5 * 60_000;

/// Where the owner's files are.
#[derive(Debug, Args)]
pub(in crate::cli) struct FolderArgs {
    #[command(flatten)]
    rules: RulesDir,
    /// File that names the sources [default: connectors.toml]
    #[arg(long, value_name = "FILE")]
    connectors: Option<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
}

/// Where the journal is.
#[derive(Debug, Args)]
pub(in crate::cli) struct DataArgs {
    /// Folder of the journal [default: data]
    #[arg(long, value_name = "DIR", env = "VERGER_DATA", hide_env_values = true)]
    data: Option<PathBuf>,
}

impl DataArgs {
    /// The folder; it need not be there.
    pub(in crate::cli) fn folder(&self, context: &Context<'_, '_>) -> DataFolder {
        DataFolder::new(self.data.clone().unwrap_or_else(|| context.default_path("data")))
    }
}

/// A working folder.
#[derive(Clone, Debug)]
pub(in crate::cli) struct WorkingFolder {
    /// Folder of the rules.
    pub(in crate::cli) rules: PathBuf,
    /// The file of the sources; it need not be there.
    pub(in crate::cli) connectors: PathBuf,
    /// Folder of the journal.
    pub(in crate::cli) data: DataFolder,
}

/// Everything that a working folder says.
#[derive(Debug)]
pub(in crate::cli) struct Working {
    /// For the agent.
    pub(in crate::cli) loaded: Loaded,
    /// The sources as their file says.
    pub(in crate::cli) file: SourcesFile,
    /// The set's zone.
    pub(in crate::cli) zone: Zone,
}

/// The sources of a working folder.
#[derive(Debug, Default)]
pub(in crate::cli) struct SourcesFile {
    /// As they are read.
    pub(in crate::cli) sources: Vec<LiveSource>,
    /// What concerns the watch.
    pub(in crate::cli) watching: Watching,
}

impl FolderArgs {
    /// Where the journal is.
    pub(in crate::cli) fn data(&self) -> &DataArgs {
        &self.data
    }

    /// The folder that they mean.
    ///
    /// # Errors
    /// When there are no rules.
    pub(in crate::cli) fn folder(&self, context: &Context<'_, '_>) -> anyhow::Result<WorkingFolder> {
        Ok(WorkingFolder {
            rules: self.rules.folder(context)?,
            connectors: self.connectors.clone().unwrap_or_else(|| context.default_path(sources_file::NAME)),
            data: self.data.folder(context),
        })
    }
}

impl WorkingFolder {
    /// Everything, or why it cannot be used, as it is to be shown.
    ///
    /// # Errors
    /// The report.
    pub(in crate::cli) fn load(&self) -> Result<Working, String> {
        let files = self.rule_files()?;
        let file = self.sources(&files.rules)?;
        let zone = files.rules.home();
        let rules = store::RuleFiles {
            rules: files.sources.iter().map(|(_, file)| (file.path.clone(), file.text.to_string())).collect(),
            scripts: files.scripts,
        };
        let ping_ms = file.watching.ping.as_ref();
        let ping_ms = ping_ms.map(|_| file.watching.ping_every.unwrap_or(PING_MS));
        Ok(Working { loaded: Loaded { rules, sources: file.sources.clone(), ping_ms }, file, zone })
    }

    /// The rule set.
    ///
    /// # Errors
    /// The report.
    pub(in crate::cli) fn rule_files(&self) -> Result<RuleFiles, String> {
        let files = rule_files::load(std::slice::from_ref(&self.rules), None)
            .map_err(|error| format!("{error:#}"))?;
        match report(&files.findings, &files.sources) {
            Some(report) => Err(format!("the rules have errors\n{report}")),
            None => Ok(files),
        }
    }

    /// The sources; a file that is not there has none.
    ///
    /// # Errors
    /// The report.
    pub(in crate::cli) fn sources(&self, rules: &RuleSet) -> Result<SourcesFile, String> {
        if !files::is_there(&self.connectors) {
            return Ok(SourcesFile::default());
        }
        let mut sources = Sources::default();
        let (entries, watching, findings) = sources_file::read(&self.connectors, Some(rules), &mut sources)
            .map_err(|error| error.to_string())?;
        if let Some(report) = report(&findings, &sources) {
            return Err(format!("the sources have errors\n{report}"));
        }
        let home = self.home();
        let owner = owner();
        let sources = entries.iter().filter_map(|entry: &Entry| {
            LiveSource::of(entry, &home, owner.as_deref(), &self.data.received(&entry.name))
        });
        Ok(SourcesFile { sources: sources.collect(), watching })
    }

    /// What relative paths in `connectors.toml` are below.
    fn home(&self) -> PathBuf {
        self.connectors.parent().unwrap_or(Path::new("")).to_owned()
    }

    /// The address of the dead-man switch.
    pub(in crate::cli) fn ping(&self, watching: &Watching) -> Option<(String, bool)> {
        let url = match watching.ping.as_ref()? {
            Written::Plain(text) | Written::Secret(text) => text.clone(),
            Written::Kept(kept) => secret::look_up(kept, &self.home()).ok()?,
        };
        Some((url, watching.allow_private))
    }
}

/// The errors among findings as text; nothing when there are none.
fn report(findings: &[Diagnostic], sources: &Sources) -> Option<String> {
    let errors: Vec<_> =
        findings.iter().filter(|finding| finding.severity == Severity::Error).cloned().collect();
    if errors.is_empty() {
        return None;
    }
    let report = Report { findings: &errors, sources, catalogue: &[], color: false };
    FORMATS.first().map(|format| (format.render)(&report))
}

#[expect(clippy::disallowed_methods, reason = "what `~/` means is the environment's")]
fn owner() -> Option<PathBuf> {
    std::env::home_dir()
}
