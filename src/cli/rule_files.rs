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
use crate::engine::rule_set::{RuleId, RuleSet};
use crate::engine::source::Sources;
use crate::engine::syntax::{ast, parse};
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
        let path = self.rules.clone().unwrap_or_else(|| context.default_path("rules"));
        let files = load(&[path], None)?;
        files.sound(context)
    }
}

/// Reads, parses, resolves and checks all rule files under the paths.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn load(paths: &[PathBuf], today: Option<Date>) -> anyhow::Result<RuleFiles> {
    let sources = read_rules(paths)?;
    let mut inputs = Inputs::default();
    let mut findings = Vec::new();
    let mut trees = Vec::new();
    for (id, file) in sources.iter() {
        if Path::new(&file.path).parent().is_some_and(|folder| folder.ends_with("local")) {
            inputs.local.insert(id);
        }
        let (tree, broken) = parse(file, id);
        findings.extend(broken);
        trees.push(tree);
    }
    for path in paths {
        read_scripts(path, &trees, &mut inputs)?;
    }
    let (rules, found) = check::lint(&trees, &sources, &inputs, today);
    findings.extend(found);
    findings.sort_by(|a, b| (a.span, a.id, &a.message).cmp(&(b.span, b.id, &b.message)));
    Ok(RuleFiles { sources, trees, rules, findings })
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
        bail!("the rules have errors, see `verger lint`")
    }

    /// The rule with this name.
    ///
    /// # Errors
    /// When there is none; the nearest name is offered.
    pub(super) fn rule(&self, name: &str) -> anyhow::Result<RuleId> {
        if let Some(id) = self.rules.rule_named(name) {
            return Ok(id);
        }
        let names = self.rules.rules.iter().map(|rule| &*rule.name);
        match did_you_mean(name, names) {
            Some(question) => bail!("unknown rule `{name}`, {question}"),
            None => bail!("unknown rule `{name}`"),
        }
    }
}
