//! `verger forget`: takes a signal's readings, a stream's items or what a rule said out of the past.

use clap::Args;

use super::journal;
use super::working_folder::DataArgs;
use crate::cli::output::counted;
use crate::cli::{CommandDef, Context, Exit, Run, arguments};
use crate::engine::nearest::did_you_mean;
use crate::engine::time::Date;
use crate::store::Forgotten;

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<ForgetArgs>("forget", "Take readings, items, or what a rule said, out of the past");

/// Arguments of `forget`.
#[derive(Debug, Args)]
struct ForgetArgs {
    /// A signal, a stream or a rule
    name: String,
    /// What lies before this date
    #[arg(long, value_name = "DATE", value_parser = arguments::date)]
    before: Date,
    #[command(flatten)]
    data: DataArgs,
}

impl Run for ForgetArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let (_lock, mut session) = journal::hold(&self.data, context, "`verger forget`")?;
        let Some(rules) = session.rules() else { anyhow::bail!("the journal holds nothing yet") };
        let is_fact = rules.signal_named(&self.name).is_some() || rules.stream_named(&self.name).is_some();
        let what = if is_fact {
            Forgotten::Facts(self.name.clone())
        } else if rules.rule_named(&self.name).is_some() {
            Forgotten::Rule(self.name.clone())
        } else {
            let names = rules.signals.iter().map(|signal| &*signal.name);
            let names = names.chain(rules.streams.iter().map(|stream| &*stream.name));
            let names = names.chain(rules.rules.iter().map(|rule| &*rule.name));
            match did_you_mean(&self.name, names) {
                Some(question) => anyhow::bail!("no signal, stream or rule `{}`, {question}", self.name),
                None => anyhow::bail!("no signal, stream or rule `{}`", self.name),
            }
        };
        let before = rules.home().midnight(self.before);
        let count = session.forget(&what, before)?;
        context.console.line(format!(
            "{} taken out, {} without text from now on",
            counted(count.records, "record"),
            counted(count.lines, "decision")
        ))?;
        context.console.note(
            "`verify` computes again only what comes from now on, and a dry-run over the exported past says what follows from what is left",
        )?;
        Ok(Exit::Fine)
    }
}
