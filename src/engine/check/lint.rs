//! What a lint is, and the run over all of them.

use crate::engine::diagnostic::{Diagnostic, Severity};
use crate::engine::resolve::{Inputs, Resolved, resolve};
use crate::engine::rule_set::RuleSet;
use crate::engine::source::{Sources, Span};
use crate::engine::syntax::ast;
use crate::engine::time::Date;

/// Most findings of one file.
const FINDINGS_MAX: usize = 200;

/// A kind of finding.
#[derive(Clone, Copy, Debug)]
pub struct Lint {
    /// Stable id, kebab-case.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One line, without a period.
    pub summary: &'static str,
    /// For `lint --explain`.
    pub explain: Explain,
    /// The check; `None` for what the parser, the resolver or the suppressions report.
    pub check: Option<fn(&RuleSet, &mut Findings)>,
}

/// The explanation of a lint.
#[derive(Clone, Copy, Debug)]
pub struct Explain {
    /// What it finds.
    pub what: &'static str,
    /// Why that is bad.
    pub why: &'static str,
    /// Lines of a rule file that it finds something in.
    pub example: &'static str,
}

impl Lint {
    /// A finding of this kind.
    pub(super) fn at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: self.severity, ..Diagnostic::error(self.id, span, message) }
    }
}

/// Where checks put what they find.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Diagnostic>,
}

impl Findings {
    /// Adds a finding.
    pub fn push(&mut self, finding: Diagnostic) {
        self.list.push(finding);
    }
}

/// The lint with this id.
pub fn explain(id: &str) -> Option<&'static Lint> {
    super::LINTS.iter().find(|lint| lint.id == id)
}

/// Resolves trees and checks the set: the set, and findings by file, position and id. `today` decides which
/// suppressions have run out; without it none has. What the parser found is the caller's to add.
pub fn lint(
    files: &[ast::File],
    sources: &Sources,
    inputs: &Inputs,
    today: Option<Date>,
) -> (RuleSet, Vec<Diagnostic>) {
    let Resolved { rules, diagnostics } = resolve(files, sources, inputs);
    let mut findings = Findings { list: diagnostics };
    for check in super::LINTS.iter().filter_map(|lint| lint.check) {
        check(&rules, &mut findings);
    }
    let mut found = super::allow::apply(files, sources, findings.list, today);
    found.sort_by(|a, b| (a.span, a.id, &a.message).cmp(&(b.span, b.id, &b.message)));
    (rules, capped(found))
}

/// At most so many findings of each file; one more says how many are left out.
fn capped(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(found.len().min(FINDINGS_MAX));
    for of_file in found.chunk_by(|a, b| a.span.file == b.span.file) {
        let (listed, rest) = of_file.split_at_checked(FINDINGS_MAX).unwrap_or((of_file, &[]));
        kept.extend_from_slice(listed);
        // The worst of them stands for all.
        if let Some(worst) = rest.iter().rev().max_by_key(|finding| finding.severity) {
            let message = format!("{} further findings in this file are not listed", rest.len());
            let place = rest.first().map_or(worst.span, |first| first.span);
            let more = Diagnostic { severity: worst.severity, ..Diagnostic::error(worst.id, place, message) };
            kept.push(more.help("mend those above first"));
        }
    }
    kept
}
