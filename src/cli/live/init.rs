//! `verger init`: a working folder from flags or questions: rules with their tests, sources, and what git is
//! to leave out. Never writes over anything.

mod files;

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use crate::cli::files::{is_there, make_folder, replace};
use crate::cli::{CommandDef, Context, Exit, Run, arguments};
use crate::engine::time::Zone;

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<InitArgs>("init", "Make a working folder: rules, sources, and a place for the journal");

/// Arguments of `init`.
#[derive(Debug, Args)]
struct InitArgs {
    /// The folder; made when it is not there [default: the working folder]
    folder: Option<PathBuf>,
    /// Your home zone, such as `America/Toronto`
    #[arg(long, value_parser = arguments::zone)]
    zone: Option<Zone>,
    /// Apple Health's export, or the folder that you will put exports into
    #[arg(long, value_name = "PATH")]
    health: Option<String>,
    /// Your calendar: an address, or an `.ics` file
    #[arg(long, value_name = "ADDRESS")]
    calendar: Option<String>,
    /// A feed of news
    #[arg(long, value_name = "ADDRESS")]
    feed: Option<String>,
    /// Ask nothing: what is not written is left out
    #[arg(long)]
    no_input: bool,
}

/// What the folder is made from.
#[derive(Debug)]
struct Choices {
    zone: Zone,
    health: Option<String>,
    calendar: Option<String>,
    feed: Option<String>,
}

impl Run for InitArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let folder = self.folder.clone().unwrap_or_else(|| context.default_path("."));
        for name in ["rules", "connectors.toml"] {
            if is_there(&folder.join(name)) {
                bail!("`{}` is there already: `init` writes over nothing", folder.join(name).display());
            }
        }
        let choices = self.choices(context)?;
        for (path, text) in files::all(&choices) {
            let path = folder.join(path);
            if is_there(&path) {
                continue;
            }
            make_folder(path.parent().unwrap_or(Path::new(".")))?;
            replace(&path, text.as_bytes())?;
            context.console.line(format!("wrote {}", path.display()))?;
        }
        let at =
            if folder == Path::new(".") { String::new() } else { format!(" --home {}", folder.display()) };
        context.console.note(format!("next: `verger{at} doctor`, then `verger{at} watch`"))?;
        Ok(Exit::Fine)
    }
}

impl InitArgs {
    /// Flags first, then questions; without either the zone is missing.
    fn choices(&self, context: &mut Context<'_, '_>) -> anyhow::Result<Choices> {
        let guess = files::machine_zone();
        let zone = match self.zone {
            Some(zone) => zone,
            None if self.no_input => match guess {
                Some(zone) => zone,
                None => bail!("the zone is missing: write `--zone ZONE`, such as `--zone America/Toronto`"),
            },
            None => {
                let shown = guess.map(|zone| zone.0.name()).unwrap_or_default();
                let said = ask(context, &format!("Your home zone [{shown}]: "))?;
                match (said, guess) {
                    (Some(said), _) => arguments::zone(&said).map_err(|reason| anyhow::anyhow!(reason))?,
                    (None, Some(guess)) => guess,
                    (None, None) => bail!("the zone is missing: it says when your days begin"),
                }
            }
        };
        let mut or_ask = |written: &Option<String>, question: &str| -> anyhow::Result<Option<String>> {
            match written {
                Some(written) => Ok(Some(written.clone())),
                None if self.no_input => Ok(None),
                None => ask(context, question),
            }
        };
        Ok(Choices {
            zone,
            health: or_ask(&self.health, "Folder or file of Apple Health's export (empty: none): ")?,
            calendar: or_ask(&self.calendar, "Address or file of your calendar, iCalendar (empty: none): ")?,
            feed: or_ask(&self.feed, "Address of a feed of news (empty: none): ")?,
        })
    }
}

/// A question and its answer; an empty one is none.
fn ask(context: &mut Context<'_, '_>, question: &str) -> anyhow::Result<Option<String>> {
    context.console.beside(question)?;
    let mut answer = String::new();
    context.console.input().read_line(&mut answer)?;
    let answer = answer.trim();
    Ok(if answer.is_empty() { None } else { Some(answer.to_owned()) })
}
