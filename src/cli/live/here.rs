//! `verger here`: the person is in another zone now.

use clap::Args;

use super::journal;
use super::working_folder::DataArgs;
use crate::cli::{CommandDef, Context, Exit, Run, arguments};
use crate::engine::time::Zone;

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<HereArgs>("here", "Say which zone you are in now, for what follows `here`");

/// Arguments of `here`.
#[derive(Debug, Args)]
struct HereArgs {
    /// An IANA zone, such as `Asia/Tokyo`
    #[arg(value_parser = arguments::zone)]
    zone: Zone,
    #[command(flatten)]
    data: DataArgs,
}

impl Run for HereArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        journal::post(&format!("{{\"zone\":\"{}\"}}", self.zone.0.name()), &self.data, context)?;
        Ok(Exit::Fine)
    }
}
