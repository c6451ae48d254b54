//! `verger watch`: keeps running, reads the sources, lets the rules decide, and shows what they say.

use std::io;
use std::path::PathBuf;

use clap::Args;

use super::working_folder::{FolderArgs, SourcesFile, Working, WorkingFolder};
use crate::cli::output::Console;
use crate::cli::timeline::Timeline;
use crate::cli::{CommandDef, Context, Exit, Run};
use crate::engine::decision::Line;
use crate::engine::syntax::ast::Level;
use crate::engine::time::Zone;
use crate::render::log;
use crate::shell::agent::Loaded;
use crate::shell::deliver::desktop::Notice;
use crate::shell::watch::{self, Front};
use crate::store::Message;

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<WatchArgs>("watch", "Keep running: read the sources and show what the rules say");

/// Arguments of `watch`.
#[derive(Debug, Args)]
struct WatchArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Show messages as notices of the desktop too
    #[arg(long)]
    desktop: bool,
    /// One decision a line, as JSON
    #[arg(long)]
    json: bool,
}

impl Run for WatchArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let folder = self.folder.folder(context)?;
        let data = folder.data.clone();
        let mut terminal = Terminal {
            console: context.console,
            folder,
            file: SourcesFile::default(),
            timeline: None,
            desktop: self.desktop,
            json: self.json,
        };
        watch::run(&data, &mut terminal)?;
        Ok(Exit::Fine)
    }
}

/// The terminal that the watch was started in.
struct Terminal<'c, 'io> {
    console: &'c mut Console<'io>,
    folder: WorkingFolder,
    file: SourcesFile,
    timeline: Option<(Zone, Timeline)>,
    desktop: bool,
    json: bool,
}

impl Front for Terminal<'_, '_> {
    fn load(&mut self) -> Result<Loaded, String> {
        let Working { loaded, file, zone } = self.folder.load()?;
        self.file = file;
        if self.timeline.as_ref().is_none_or(|(known, _)| *known != zone) {
            self.timeline = Some((zone, Timeline::new(zone)));
        }
        Ok(loaded)
    }

    fn places(&self) -> Vec<(PathBuf, &'static [&'static str])> {
        vec![(self.folder.rules.clone(), &["rule", "rhai"]), (self.folder.connectors.clone(), &[])]
    }

    fn ping(&self) -> Option<(String, bool)> {
        self.folder.ping(&self.file.watching)
    }

    fn show(&mut self, message: &Message) -> io::Result<()> {
        for text in &message.lines {
            match (self.json, log::read(text), &mut self.timeline) {
                (false, Some(line), Some((_, timeline))) => {
                    let text = timeline.line(&line);
                    self.console.print(text)?;
                }
                _ => self.console.line(text)?,
            }
        }
        self.console.flush()
    }

    fn notice(&self, message: &Message) -> Option<Notice> {
        let lines: Vec<_> = message.lines.iter().filter_map(|line| log::read(line)).collect();
        let decisions = lines.iter().filter_map(|line| match line {
            Line::Decision(decision) => Some(decision),
            Line::Missed { .. } => None,
        });
        let texts: Vec<_> = decisions.clone().map(|decision| &*decision.text).collect();
        let first = decisions.clone().next().filter(|_| self.desktop)?;
        let loud = decisions.clone().any(|decision| decision.level == Level::Ring);
        Some(Notice { title: first.rule.to_string(), text: texts.join("\n"), loud })
    }

    fn say(&mut self, text: &str) {
        // A terminal that is gone is noticed when there is a result to print.
        for line in text.lines() {
            let _ = self.console.note(line);
        }
    }
}
