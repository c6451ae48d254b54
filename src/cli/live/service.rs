//! `verger service`: lets the system keep the watch running: a systemd user unit, or a launchd agent.

mod manager;

use clap::{Args, Subcommand};

use self::manager::Manager;
use super::working_folder::FolderArgs;
use crate::cli::{CommandDef, Context, Exit, Run};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<ServiceArgs>("service", "Let the system start the watch and keep it running");

/// Arguments of `service`.
#[derive(Debug, Args)]
struct ServiceArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Write the service's file and start it
    Install(InstallArgs),
    /// Stop it and remove its file
    Uninstall,
    /// Say what the system knows of it
    Status,
}

#[derive(Debug, Args)]
struct InstallArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Show the file and where it would be written, and write nothing
    #[arg(long)]
    print: bool,
    /// Which system's service manager [default: this machine's]
    #[arg(long, value_enum)]
    manager: Option<Manager>,
}

impl Run for ServiceArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        match self.what {
            What::Install(args) => args.run(context),
            What::Uninstall => {
                let path = Manager::here()?.uninstall()?;
                context.console.line(format!("removed {}", path.display()))?;
                Ok(Exit::Fine)
            }
            What::Status => {
                let (running, said) = Manager::here()?.status()?;
                context.console.line(said)?;
                Ok(if running { Exit::Fine } else { Exit::Difference })
            }
        }
    }
}

impl InstallArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let folder = self.folder.folder(context)?;
        let manager = match self.manager {
            Some(manager) => manager,
            None => Manager::here()?,
        };
        let file = manager.file(&folder)?;
        if self.print {
            context.console.note(format!("would be written to {}", file.path.display()))?;
            context.console.print(&file.text)?;
            return Ok(Exit::Fine);
        }
        // A service that cannot start would be restarted for ever.
        if let Err(report) = folder.load() {
            context.console.beside(report)?;
            anyhow::bail!("the files have errors: nothing was installed");
        }
        manager.install(&file)?;
        context.console.line(format!("wrote {} and started it", file.path.display()))?;
        Ok(Exit::Fine)
    }
}
