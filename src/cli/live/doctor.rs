//! `verger doctor`: what is missing for the watch to work, and how to mend it. Changes nothing.

use clap::Args;

use super::working_folder::{FolderArgs, SourcesFile, WorkingFolder};
use crate::cli::files;
use crate::cli::output::counted;
use crate::cli::{CommandDef, Context, Exit, Run};
use crate::render::json_line;
use crate::shell::agent::GAP_MS;
use crate::shell::alarm::now;
use crate::store::Store;

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<DoctorArgs>("doctor", "Say what is missing for the watch to work, and how to mend it");

/// Arguments of `doctor`.
#[derive(Debug, Args)]
struct DoctorArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// One finding a line, as JSON
    #[arg(long)]
    json: bool,
}

/// Something that was looked at.
struct Finding {
    what: &'static str,
    state: State,
    said: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// As it should be.
    Well,
    /// Works, but not as its owner may think.
    Note,
    /// Does not work.
    Missing,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Well => "well",
            Self::Note => "note",
            Self::Missing => "missing",
        }
    }
}

impl Run for DoctorArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let findings = match self.folder.folder(context) {
            Ok(folder) => look(&folder),
            Err(error) => vec![missing("rules", format!("{error:#}; `verger init` makes them"))],
        };
        for Finding { what, state, said } in &findings {
            let text = if self.json {
                json_line(&serde_json::json!({ "what": what, "state": state.word(), "said": said }))
            } else {
                format!("{:<8} {what}: {said}", state.word())
            };
            context.console.line(text)?;
        }
        let fails = findings.iter().any(|finding| finding.state == State::Missing);
        Ok(if fails { Exit::Difference } else { Exit::Fine })
    }
}

fn well(what: &'static str, said: String) -> Finding {
    Finding { what, state: State::Well, said }
}

fn note(what: &'static str, said: String) -> Finding {
    Finding { what, state: State::Note, said }
}

fn missing(what: &'static str, said: String) -> Finding {
    Finding { what, state: State::Missing, said }
}

fn look(folder: &WorkingFolder) -> Vec<Finding> {
    let mut findings = Vec::new();
    match folder.rule_files() {
        Ok(files) => {
            findings.push(well(
                "rules",
                format!("{} in `{}`", counted(files.rules.rules.len(), "rule"), folder.rules.display()),
            ));
            match folder.sources(&files.rules) {
                Ok(file) => findings.extend(sources(folder, &file)),
                Err(report) => findings.push(missing("sources", first(&report, "verger lint"))),
            }
        }
        Err(report) => findings.push(missing("rules", first(&report, "verger lint"))),
    }
    findings.extend(journal(folder));
    findings
}

/// The beginning of a report, and who shows the rest.
fn first(report: &str, command: &str) -> String {
    let lines: Vec<_> = report.lines().take(2).collect();
    format!("{}; `{command}` shows where", lines.join(": "))
}

fn sources(folder: &WorkingFolder, file: &SourcesFile) -> Vec<Finding> {
    if file.sources.is_empty() {
        let path = folder.connectors.display();
        let said = format!(
            "`{path}` names none, so nothing will be read; `verger connector kinds` lists what can be"
        );
        return vec![missing("sources", said)];
    }
    let mut findings = Vec::new();
    for source in &file.sources {
        if let Err(failure) = source.secret("token") {
            findings.push(missing("secrets", format!("source `{}`: {failure}", source.name)));
        }
        for path in source.watched().filter(|path| !files::is_there(path)) {
            let said = format!("source `{}` reads `{}`, which is not there yet", source.name, path.display());
            findings.push(missing("sources", said));
        }
    }
    if findings.is_empty() {
        let said = format!("{}; `verger connector check` reads them", counted(file.sources.len(), "source"));
        findings.push(well("sources", said));
    }
    findings
}

fn journal(folder: &WorkingFolder) -> Vec<Finding> {
    let path = folder.data.journal();
    let shown = path.display();
    if !files::is_there(&path) {
        return vec![note("journal", format!("`{shown}` is not there yet: `verger watch` begins it"))];
    }
    let store = match Store::read(&path) {
        Ok(store) => store,
        Err(error) => {
            let said = format!("`{shown}`: {error}; `verger restore FILE` puts a copy in its place");
            return vec![missing("journal", said)];
        }
    };
    let mut findings = match store.head() {
        Err(error) => vec![missing(
            "journal",
            format!("`{shown}`: {error}; `verger restore FILE` puts a copy in its place"),
        )],
        Ok(Some(head)) if head.at.0 > now().0.saturating_add(GAP_MS) => vec![missing(
            "clock",
            "the journal is ahead of this machine's clock: time stands still until the clock has caught up"
                .to_owned(),
        )],
        Ok(head) => {
            let rows = head.map_or(0, |head| usize::try_from(head.seq).unwrap_or_default());
            vec![well("journal", format!("{} in `{shown}`", counted(rows, "row")))]
        }
    };
    let beat = store.heartbeat().ok().flatten();
    findings.push(match beat {
        Some(beat) if !beat.ended && now().0.saturating_sub(beat.at.0) <= GAP_MS => {
            well("watch", format!("running (process {})", beat.pid))
        }
        _ => note(
            "watch",
            "not running: `verger watch`, or `verger service install` to keep it running".to_owned(),
        ),
    });
    findings
}
