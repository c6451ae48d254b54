//! `verger rate`: whether something that was said was useful.

use clap::{Args, ValueEnum};

use super::journal;
use super::working_folder::DataArgs;
use crate::cli::{CommandDef, Context, Exit, Run};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<RateArgs>("rate", "Say whether a message was useful or noise");

/// Arguments of `rate`.
#[derive(Debug, Args)]
struct RateArgs {
    /// The decision's id, or its beginning
    id: String,
    /// What it was
    verdict: Verdict,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Verdict {
    /// Worth it
    Useful,
    /// Not worth it
    Noise,
}

impl Run for RateArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let id = journal::decision(&journal::read(&self.data, context)?, &self.id)?;
        let verdict = match self.verdict {
            Verdict::Useful => "useful",
            Verdict::Noise => "noise",
        };
        let id = serde_json::Value::from(id);
        journal::post(&format!("{{\"feedback\":{id},\"verdict\":\"{verdict}\"}}"), &self.data, context)?;
        Ok(Exit::Fine)
    }
}
