//! Windows that reach back further than history is kept.

use super::lint::{Explain, Findings, Lint};
use crate::engine::diagnostic::Severity;
use crate::engine::rule_set::{
    Expr, ExprKind, Gather, Hold, ItemWindow, ItemWindowKind, RuleDef, RuleSet, WindowSpan,
};
use crate::engine::source::Span;
use crate::engine::time::MS_PER_DAY;

/// The row of this lint.
pub(super) const LINT: Lint = Lint {
    id: "long-window",
    severity: Severity::Error,
    summary: "a window that is longer than the kept history",
    explain: Explain {
        what: "A statistic, a window over items, a `for` or a `nothing from` reaches back further than \
               `keep history` (400 days when it is not written).",
        why: "Older values are gone, so the result would be of a shorter time than the rule says.",
        example: "keep history 30 days\n…\nlet usual = mean of health.hrv over 60 days, needs 20",
    },
    check: Some(check),
};

fn check(set: &RuleSet, findings: &mut Findings) {
    for rule in &set.rules {
        let mut search = Search { set, findings };
        search.rule(rule);
    }
}

struct Search<'s, 'f> {
    set: &'s RuleSet,
    findings: &'f mut Findings,
}

impl Search<'_, '_> {
    fn rule(&mut self, rule: &RuleDef) {
        rule.lets.iter().for_each(|def| self.expr(&def.expr));
        let lines = rule.when.iter().chain(&rule.unless).chain(&rule.clear);
        lines.for_each(|line| self.expr(&line.expr));
        match (&rule.hold, &rule.gather) {
            (Some((Hold::Dates(dates), span)), _) => self.days(*dates, *span),
            (Some((Hold::Exact(ms), span)), _) => self.time(*ms, *span),
            _ => {}
        }
        if let Some(Gather::Text { window, filter, .. }) = &rule.gather {
            filter.iter().for_each(|filter| self.expr(filter));
            window.iter().for_each(|window| self.items(window, rule.span));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Window { window, .. } => {
                match self.set.windows.get(window.index()).map(|window| window.span) {
                    Some(WindowSpan::Days { days, .. }) => self.days(days, expr.span),
                    Some(WindowSpan::Within(ms)) => self.time(ms, expr.span),
                    None => {}
                }
            }
            ExprKind::Nothing(_, ms) => self.time(*ms, expr.span),
            ExprKind::Join(join) => join.window.iter().for_each(|window| self.items(window, expr.span)),
            _ => {}
        }
        expr.each_part(&mut |part| self.expr(part));
    }

    fn items(&mut self, window: &ItemWindow, span: Span) {
        match window.kind {
            ItemWindowKind::OverDays(days) => self.days(days, span),
            ItemWindowKind::WithinLast(ms) => self.time(ms, span),
            _ => {}
        }
    }

    fn time(&mut self, ms: i64, span: Span) {
        if ms > i64::from(self.set.history_days).saturating_mul(MS_PER_DAY) {
            let days =
                ms.checked_div(MS_PER_DAY).and_then(|days| u32::try_from(days).ok()).unwrap_or(u32::MAX);
            self.found(days, span);
        }
    }

    fn days(&mut self, days: u32, span: Span) {
        if days > self.set.history_days {
            self.found(days, span);
        }
    }

    fn found(&mut self, days: u32, span: Span) {
        let kept = self.set.history_days;
        let message = format!("this looks back {days} days, and {kept} are kept");
        let help = format!("write a shorter window, or `keep history {days} days`");
        self.findings.push(LINT.at(span, message).help(help));
    }
}
