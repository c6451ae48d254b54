//! The live journal, for commands that read it or leave a record in it while a watch may be running.

use std::path::PathBuf;

use anyhow::{Context as _, bail};

use super::working_folder::DataArgs;
use crate::cli::Context;
use crate::engine::nearest::did_you_mean;
use crate::engine::rule_set::RuleSet;
use crate::engine::source::{SourceFile, Sources};
use crate::shell::agent::GAP_MS;
use crate::shell::alarm::now;
use crate::shell::folder::DataFolder;
use crate::shell::lock::Lock;
use crate::store::{Moment, RuleFiles, Session, Store, StoreError};

/// The journal, only to be read.
///
/// # Errors
/// When there is none.
pub(in crate::cli) fn read(data: &DataArgs, context: &Context<'_, '_>) -> anyhow::Result<Store> {
    let folder = data.folder(context);
    let path = there(&folder)?;
    Store::read(&path).with_context(|| named(&path))
}

/// The journal with its lock, for what only one may do at a time.
///
/// # Errors
/// When there is none, or a watch is running.
pub(in crate::cli) fn hold(
    data: &DataArgs,
    context: &Context<'_, '_>,
    what: &str,
) -> anyhow::Result<(Lock, Session)> {
    let folder = data.folder(context);
    let path = there(&folder)?;
    let lock = Lock::take(&folder.lock(), what).context("stop the watch first")?;
    let session = Store::open(&path).and_then(Session::resume).with_context(|| named(&path))?;
    Ok((lock, session))
}

/// Leaves a record for the watch: a line as in recorded days, without a time.
///
/// # Errors
/// When there is no journal, or it cannot be written.
pub(in crate::cli) fn post(line: &str, data: &DataArgs, context: &mut Context<'_, '_>) -> anyhow::Result<()> {
    let folder = data.folder(context);
    let path = there(&folder)?;
    let store = Store::open(&path).with_context(|| named(&path))?;
    store.post(line)?;
    folder.ring()?;
    let beat = store.heartbeat()?.filter(|beat| !beat.ended).map(|beat| beat.at);
    if beat.is_none_or(|beat| now().0.saturating_sub(beat.0) > GAP_MS) {
        context.console.note("no watch is running: it counts as soon as one does")?;
    }
    Ok(())
}

fn there(folder: &DataFolder) -> anyhow::Result<PathBuf> {
    let path = folder.journal();
    if !crate::cli::files::is_there(&path) {
        bail!("there is no journal `{}`: `verger watch` begins one", path.display());
    }
    Ok(path)
}

fn named(path: &std::path::Path) -> String {
    format!("the journal `{}`", path.display())
}

/// The engine as it would be right now.
///
/// # Errors
/// When the journal is damaged or holds nothing yet.
pub(in crate::cli) fn present(store: &Store) -> anyhow::Result<Moment> {
    store.moment(now())?.context("the journal holds nothing yet")
}

/// The rule set in force.
///
/// # Errors
/// When the journal is damaged or holds nothing yet.
pub(in crate::cli) fn rules(store: &Store) -> anyhow::Result<RuleSet> {
    store.rules_in_force()?.context("the journal holds nothing yet")
}

/// The one decision whose id begins so.
///
/// # Errors
/// When there is none, or several.
pub(in crate::cli) fn decision(store: &Store, prefix: &str) -> anyhow::Result<String> {
    let ids = store.ids(prefix)?;
    // An escalation is named by its first id too.
    match &ids[..] {
        [] => bail!("no decision has the id `{prefix}`, see `verger log --json`"),
        [id] => Ok(id.clone()),
        [first, ..] if ids.iter().all(|id| id.split('/').next() == first.split('/').next()) => {
            Ok(first.clone())
        }
        _ if ids.iter().any(|id| id == prefix) => Ok(prefix.to_owned()),
        _ => bail!("several decisions have ids that begin with `{prefix}`: write more of it"),
    }
}

/// An error where a set has no rule of this name; the nearest is offered.
///
/// # Errors
/// When there is none.
pub(in crate::cli) fn known_rule(rules: &RuleSet, name: &str) -> anyhow::Result<()> {
    if rules.rule_named(name).is_some() {
        return Ok(());
    }
    match did_you_mean(name, rules.rules.iter().map(|rule| &*rule.name)) {
        Some(question) => bail!("unknown rule `{name}`, {question}"),
        None => bail!("unknown rule `{name}`"),
    }
}

/// The texts of a set, for what quotes them.
pub(in crate::cli) fn texts(files: &RuleFiles) -> Sources {
    let mut sources = Sources::default();
    for (path, text) in &files.rules {
        sources.add(SourceFile::new(path, text.as_str()));
    }
    sources
}

/// An error of the store in a walk.
#[derive(Debug)]
pub(in crate::cli) enum Walk {
    /// The store's.
    Store(StoreError),
    /// Whoever was told.
    Other(anyhow::Error),
}

impl From<StoreError> for Walk {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<std::io::Error> for Walk {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.into())
    }
}

impl From<Walk> for anyhow::Error {
    fn from(walk: Walk) -> Self {
        match walk {
            Walk::Store(error) => error.into(),
            Walk::Other(error) => error,
        }
    }
}
