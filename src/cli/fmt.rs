//! `verger fmt`: the canonical text of rule files.

#![expect(clippy::disallowed_methods, reason = "follows the links to the files that it formats")]

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::{CommandDef, Context, Exit, Run, files, rule_files};
use crate::engine::syntax::{format, parse};
use crate::render::diagnostics::{FORMATS, Report};

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
        let paths = rule_files::paths(context, &self.paths)?;
        let sources = files::read_rules(&paths)?;
        let (mut differ, mut broken) = (0_usize, 0_usize);
        for (id, file) in sources.iter() {
            let (tree, findings) = parse(file, id);
            if !findings.is_empty() {
                broken += 1;
                let report = Report { findings: &findings, sources: &sources, catalogue: &[], color: false };
                if let Some(format) = FORMATS.first() {
                    context.console.print((format.render)(&report))?;
                }
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
                replace(Path::new(&file.path), &text)?;
                context.console.note(format!("{} was formatted", file.path))?;
            }
        }
        let fails = broken > 0 || (self.check && differ > 0);
        Ok(if fails { Exit::Difference } else { Exit::Fine })
    }
}

/// A rule file may be a link to where it is kept: then that file changes and the link stays.
fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let write = || files::replace(&path.canonicalize()?, text.as_bytes());
    write().with_context(|| format!("`{}` cannot be written", path.display()))
}
