//! `verger fmt`: the canonical text of rule files.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::replace::replace;
use super::{CommandDef, Context, Exit, Run};
use crate::engine::syntax::{format, parse};
use crate::render::diagnostics::{Report, TEXT};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<FmtArgs>("fmt", "Put rule files into their canonical form");

/// Arguments of `fmt`.
#[derive(Debug, Args)]
struct FmtArgs {
    /// Rule files, or folders of them [default: rules]
    paths: Vec<PathBuf>,
    /// Write nothing, name the files that differ and end with 1
    #[arg(long)]
    check: bool,
}

impl Run for FmtArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let paths = context.paths_or(&self.paths, "rules");
        let sources = super::files::read_rules(&paths)?;
        let (mut differ, mut broken) = (0_usize, 0_usize);
        for (id, file) in sources.iter() {
            let (tree, findings) = parse(file, id);
            if !findings.is_empty() {
                broken += 1;
                let report = Report { findings: &findings, sources: &sources, catalogue: &[], color: false };
                context.console.print((TEXT.render)(&report))?;
                continue;
            }
            let text = format(&tree, file);
            if *text == *file.text {
                continue;
            }
            differ += 1;
            if self.check {
                context.console.line(format!("{} is not in its canonical form", file.path))?;
            } else {
                replace(Path::new(&file.path), |out| {
                    out.write_all(text.as_bytes())?;
                    out.sync_all()
                })
                .with_context(|| format!("`{}` cannot be written", file.path))?;
                context.console.note(format!("{} was formatted", file.path))?;
            }
        }
        let fails = broken > 0 || (self.check && differ > 0);
        Ok(if fails { Exit::Difference } else { Exit::Fine })
    }
}
