//! `verger verify`: computes every decision of the journal again.

use clap::Args;

use super::journal;
use super::working_folder::DataArgs;
use crate::cli::output::counted;
use crate::cli::{CommandDef, Context, Exit, Run};
use crate::render::json_line;
use crate::store::{Difference, Verified};

/// The row.
pub(super) const DEF: CommandDef = CommandDef::of::<VerifyArgs>(
    "verify",
    "Compute every decision of the journal again and say whether it is the same",
);

/// Arguments of `verify`.
#[derive(Debug, Args)]
struct VerifyArgs {
    #[command(flatten)]
    data: DataArgs,
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl Run for VerifyArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let store = journal::read(&self.data, context)?;
        match store.verify()? {
            Ok(verified) => {
                let text = if self.json { json(&verified) } else { sentence(&verified) };
                context.console.line(text)?;
                Ok(Exit::Fine)
            }
            Err(difference) => {
                let words = words(&difference);
                let text = if self.json {
                    json_line(&serde_json::json!({ "equal": false, "difference": words }))
                } else {
                    words
                };
                context.console.line(text)?;
                Ok(Exit::Difference)
            }
        }
    }
}

fn json(verified: &Verified) -> String {
    let Verified { rows, decisions, old_rows, other_lines } = verified;
    json_line(&serde_json::json!({
        "equal": true, "rows": rows, "decisions": decisions, "old_rows": old_rows, "other_lines": other_lines,
    }))
}

fn sentence(verified: &Verified) -> String {
    let number = |count: u64, noun| counted(usize::try_from(count).unwrap_or(usize::MAX), noun);
    let mut text =
        format!("equal: {}, {}", number(verified.rows, "row"), number(verified.decisions, "decision"));
    if verified.old_rows > 0 {
        text.push_str(&format!(
            "; of {} only the chain, since what led to them was taken out",
            number(verified.old_rows, "row")
        ));
    }
    if verified.other_lines > 0 {
        text.push_str(&format!(
            "; {} of another engine or other zone data not compared",
            number(verified.other_lines, "line")
        ));
    }
    text
}

fn words(difference: &Difference) -> String {
    match difference {
        Difference::Hole { expected, found } => {
            format!("row {expected} is not there: the next one is {found}")
        }
        Difference::Chain { seq } => {
            format!("row {seq} was changed after it was written, or one before it was")
        }
        Difference::Trace { seq } => format!("row {seq}: the engine comes to the same in another way"),
        Difference::Decision { seq, stored, computed } => {
            let said = |line: &Option<String>| line.as_deref().unwrap_or("nothing").to_owned();
            format!("row {seq} says: {}; computed again: {}", said(stored), said(computed))
        }
    }
}
