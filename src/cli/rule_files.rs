//! A folder of rule files as a rule set, with everything that is wrong with it.
//!
//! Used by every command that needs rules; only `lint`, `fmt` and `test` take paths, the others take
//! `--rules`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use super::Context;
use super::files::{self, read_rules};
use crate::engine::check;
use crate::engine::diagnostic::{Diagnostic, Severity};
use crate::engine::nearest::did_you_mean;
use crate::engine::resolve::Inputs;
use crate::engine::resolve::id::UNKNOWN_NAME;
use crate::engine::rule_set::{RuleId, RuleSet};
use crate::engine::source::Sources;
use crate::engine::syntax::{ast, parse_all};
use crate::engine::time::Date;
use crate::render::diagnostics::{FORMATS, Report};

/// A set as it was read.
#[derive(Debug)]
pub(super) struct RuleFiles {
    /// The files.
    pub(super) sources: Sources,
    /// Their trees.
    pub(super) trees: Vec<ast::File>,
    /// The set; not to be run when `findings` holds an error.
    pub(super) rules: RuleSet,
    /// What is wrong, by file and place.
    pub(super) findings: Vec<Diagnostic>,
    /// Texts of the scripts that a `function` names.
    #[cfg(feature = "shell")]
    pub(super) scripts: std::collections::BTreeMap<String, String>,
    /// True when single files were named, not whole folders.
    partial: bool,
}

/// Where the rules are, for commands that take no paths.
#[derive(Debug, Args)]
pub(super) struct RulesDir {
    /// Folder of the rule files [default: rules]
    #[arg(long, value_name = "DIR")]
    rules: Option<PathBuf>,
}

impl RulesDir {
    /// The rule set of the folder.
    ///
    /// # Errors
    /// When it cannot be read or has errors, which are shown.
    pub(super) fn load(&self, context: &mut Context<'_, '_>) -> anyhow::Result<RuleFiles> {
        let files = load(&[self.folder(context)?], None)?;
        files.sound(context)
    }

    /// The folder.
    ///
    /// # Errors
    /// When none was named and there is none of the usual name.
    pub(super) fn folder(&self, context: &Context<'_, '_>) -> anyhow::Result<PathBuf> {
        match &self.rules {
            Some(path) => Ok(path.clone()),
            None => default_folder(context, "`--rules DIR`"),
        }
    }
}

/// The paths that the user wrote, or else the folder `rules`.
///
/// # Errors
/// When none was written and there is no such folder.
pub(super) fn paths(context: &Context<'_, '_>, written: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    if written.is_empty() { Ok(vec![default_folder(context, "`PATHS`")?]) } else { Ok(written.to_vec()) }
}

fn default_folder(context: &Context<'_, '_>, named_by: &str) -> anyhow::Result<PathBuf> {
    let path = context.default_path("rules");
    if !files::is_there(&path) {
        bail!(
            "there is no folder `{}`: run it beside a folder `rules`, or name one with {named_by} or `--home DIR`",
            path.display()
        );
    }
    Ok(path)
}

/// Reads, parses, resolves and checks all rule files under the paths.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn load(paths: &[PathBuf], today: Option<Date>) -> anyhow::Result<RuleFiles> {
    let sources = read_rules(paths)?;
    let mut inputs = Inputs { local: sources.local(), ..Inputs::default() };
    let (trees, mut findings) = parse_all(&sources);
    for path in paths {
        read_scripts(path, &trees, &mut inputs)?;
    }
    let (rules, found) = check::lint(&trees, &sources, &inputs, today);
    findings.extend(found);
    findings.sort_by(|a, b| (a.span, a.id, &a.message).cmp(&(b.span, b.id, &b.message)));
    let partial = paths.iter().any(|path| !files::is_folder(path));
    Ok(RuleFiles {
        sources,
        trees,
        rules,
        findings,
        #[cfg(feature = "shell")]
        scripts: inputs.scripts,
        partial,
    })
}

/// Reads the scripts under a folder that a `function` names; of the others only the names are kept, for help.
fn read_scripts(folder: &Path, trees: &[ast::File], inputs: &mut Inputs) -> anyhow::Result<()> {
    let items = trees.iter().flat_map(|tree| &tree.items);
    let named: BTreeSet<&str> = items
        .filter_map(|item| match &item.kind {
            ast::ItemKind::Function(function) => Some(function.from.node.as_str()),
            _ => None,
        })
        .collect();
    for (name, path) in files::find_scripts(folder)? {
        if named.contains(&*name) {
            inputs.scripts.insert(name, files::read_text(&path)?);
        } else {
            inputs.scripts.entry(name).or_default();
        }
    }
    Ok(())
}

impl RuleFiles {
    /// True when the set may not be run.
    pub(super) fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The set, unless it has errors: then they are shown.
    ///
    /// # Errors
    /// When the set has errors.
    pub(super) fn sound(self, context: &mut Context<'_, '_>) -> anyhow::Result<Self> {
        if !self.has_errors() {
            return Ok(self);
        }
        let errors: Vec<_> =
            self.findings.iter().filter(|finding| finding.severity == Severity::Error).cloned().collect();
        let report = Report { findings: &errors, sources: &self.sources, catalogue: &[], color: false };
        if let Some(format) = FORMATS.first() {
            context.console.beside((format.render)(&report))?;
        }
        self.advise(context)?;
        bail!("the rules have errors, see `verger lint`")
    }

    /// What most likely is wrong when names are unknown in a part of a set.
    ///
    /// # Errors
    /// When it cannot be said.
    pub(super) fn advise(&self, context: &mut Context<'_, '_>) -> anyhow::Result<()> {
        if self.partial
            && self.findings.iter().any(|finding| finding.id == UNKNOWN_NAME && finding.help.is_none())
        {
            context.console.note("help: name the whole folder, since all files of it are one set")?;
        }
        Ok(())
    }

    /// The rule with this name.
    ///
    /// # Errors
    /// When there is none; the nearest name is offered.
    pub(super) fn rule(&self, name: &str) -> anyhow::Result<RuleId> {
        if let Some(id) = self.rules.rule_named(name) {
            return Ok(id);
        }
        if let Some(kind) = self.kind_of(name) {
            bail!("`{name}` is a {kind}, not a rule");
        }
        let names = self.rules.rules.iter().map(|rule| &*rule.name);
        match did_you_mean(name, names) {
            Some(question) => bail!("unknown rule `{name}`, {question}"),
            None => bail!("unknown rule `{name}`"),
        }
    }

    /// What else a name stands for in the set.
    fn kind_of(&self, name: &str) -> Option<&'static str> {
        let rules = &self.rules;
        let kinds: [(&'static str, bool); 9] = [
            ("function", rules.functions.iter().any(|def| *def.name == *name)),
            ("signal", rules.signals.iter().any(|def| *def.name == *name)),
            ("stream", rules.streams.iter().any(|def| *def.name == *name)),
            ("list", rules.lists.iter().any(|def| *def.name == *name)),
            ("schedule", rules.schedules.iter().any(|def| *def.name == *name)),
            ("quiet window", rules.quiets.iter().any(|def| *def.name == *name)),
            ("budget", rules.budgets.iter().any(|def| *def.name == *name)),
            ("zone", rules.zones.iter().any(|def| *def.name == *name)),
            ("payment table", rules.tables.iter().any(|def| *def.name == *name)),
        ];
        kinds.into_iter().find(|(_, named)| *named).map(|(kind, _)| kind)
    }
}
