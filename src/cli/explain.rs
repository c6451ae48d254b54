//! `verger explain`: a rule in plain English.

use anyhow::bail;
use clap::Args;

use super::rule_files::RulesDir;
use super::{CommandDef, Context, Exit, Run};
use crate::engine::syntax::ast::ItemKind;
use crate::render::explain::explain;
use crate::render::terminal::shown_lines;

/// The row.
pub(super) const DEF: CommandDef = CommandDef::of::<ExplainArgs>("explain", "Say a rule in plain English");

/// Arguments of `explain`.
#[derive(Debug, Args)]
struct ExplainArgs {
    /// The rule
    rule: String,
    #[command(flatten)]
    rules: RulesDir,
}

impl Run for ExplainArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let files = self.rules.load(context)?;
        files.rule(&self.rule)?;
        let sizes = files.rules.budgets.iter();
        let budgets = sizes
            .map(|budget| (&*budget.name, format!("{} per {}", budget.count, budget.per.word())))
            .collect();
        let rules = files.trees.iter().flat_map(|tree| &tree.items).filter_map(|item| match &item.kind {
            ItemKind::Rule(rule) => Some(rule),
            _ => None,
        });
        let Some(rule) = rules.into_iter().find(|rule| rule.name.node == self.rule) else {
            bail!("unknown rule `{}`", self.rule);
        };
        context.console.print(shown_lines(&(explain(rule, &budgets) + "\n")))?;
        Ok(Exit::Fine)
    }
}
