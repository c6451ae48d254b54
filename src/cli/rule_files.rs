//! A folder of rule files as a rule set, with everything that is wrong with it.
//!
//! Used by every command that needs rules; only `lint`, `fmt` and `test` take paths, the others take
//! `--rules`.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{anyhow, bail};
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

/// Text of a set from which on its files are parsed on several threads; below, a thread costs more than it
/// saves.
const PARALLEL_BYTES_MIN: usize = 256 * 1024;

/// Stack of such a thread: as much as the main one has, since parser and tree recurse.
const PARSER_STACK_BYTES: usize = 8 * 1024 * 1024;

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
    }
    for (tree, broken) in parse_all(&sources)? {
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

/// What one file gives.
type Parsed = (ast::File, Vec<Diagnostic>);

/// Parses all files, in the order of the files; large sets on several threads.
fn parse_all(sources: &Sources) -> anyhow::Result<Vec<Parsed>> {
    let files: Vec<_> = sources.iter().collect();
    let bytes: usize = files.iter().map(|(_, file)| file.text.len()).sum();
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(files.len());
    if bytes < PARALLEL_BYTES_MIN || threads < 2 {
        return Ok(files.iter().map(|(id, file)| parse(file, *id)).collect());
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((id, file)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(parse(file, *id));
        }
        done
    };
    let done: Vec<Vec<Parsed>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| thread::Builder::new().stack_size(PARSER_STACK_BYTES).spawn_scoped(scope, work))
            .collect::<std::io::Result<_>>()?;
        let joined =
            workers.into_iter().map(|worker| worker.join().map_err(|_| anyhow!("the parser failed")));
        joined.collect::<anyhow::Result<_>>()
    })?;
    let mut all: Vec<Parsed> = done.into_iter().flatten().collect();
    all.sort_by_key(|(tree, _)| tree.id);
    Ok(all)
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
