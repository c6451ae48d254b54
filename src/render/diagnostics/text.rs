//! For people: the headline, the source with the span underlined, further places, help.
//!
//! Shows what is there and nothing that could mislead: a tab is four blanks, wide characters count as wide,
//! and control, bidi and other invisible characters of a file or a message are written as `<U+202E>`, so that
//! a rule file can neither drive the terminal nor reorder a line. Long lines and long spans are cut.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::{FINDINGS_MAX, FormatDef, Place, Report};
use crate::engine::diagnostic::{Diagnostic, Severity};
use crate::engine::source::{SourceFile, Sources, Span};
use crate::render::terminal::{Paint, Style, shown};

/// The row.
pub(super) const DEF: FormatDef = FormatDef {
    name: "text",
    about: "Source lines with the place underlined",
    findings_max: Some(FINDINGS_MAX),
    render,
};

/// Of a longer span only the first lines and the last are shown.
const SPAN_LINES_MAX: u32 = 5;
/// Characters of a line that are shown.
const LINE_CHARS_MAX: usize = 160;
/// Characters before the underlined place that a cut line keeps.
const LEAD_CHARS: usize = 40;

fn render(report: &Report<'_>) -> String {
    let paint = Paint { on: report.color };
    let blocks: Vec<String> =
        report.findings.iter().map(|finding| block(finding, report.sources, paint)).collect();
    blocks.join("\n")
}

fn block(finding: &Diagnostic, sources: &Sources, paint: Paint) -> String {
    let style = match finding.severity {
        Severity::Error => Style::Red,
        Severity::Warning => Style::Yellow,
    };
    let mut out = paint.say(style, &format!("{}[{}]", finding.severity.word(), finding.id));
    let _ = writeln!(out, "{}", paint.say(Style::Bold, &format!(": {}", shown(&finding.message))));
    let places = std::iter::once(finding.span).chain(finding.related.iter().map(|(span, _)| *span));
    let digits = places.map(|span| gutter_digits(Place::of(span, sources))).max().unwrap_or(1);
    let mut view = View { out, digits, paint };
    view.place(finding.span, sources, &Mark { arrow: "-->", sign: "^", words: "", style });
    for (span, words) in &finding.related {
        view.place(*span, sources, &Mark { arrow: ":::", sign: "-", words, style: Style::Blue });
    }
    if let Some(help) = &finding.help {
        let blank = " ".repeat(view.digits);
        let sign = paint.say(Style::Blue, "=");
        for (index, line) in help.lines().enumerate() {
            let lead = if index == 0 { format!("{sign} help:") } else { "       ".to_owned() };
            let _ = writeln!(view.out, "{blank} {lead} {}", shown(line));
        }
    }
    view.out
}

fn gutter_digits(place: Place<'_>) -> usize {
    place.end_line.max(place.line).to_string().len()
}

/// How a place is drawn.
struct Mark<'a> {
    arrow: &'a str,
    sign: &'a str,
    words: &'a str,
    style: Style,
}

/// A finding that is being written.
struct View {
    out: String,
    digits: usize,
    paint: Paint,
}

impl View {
    fn place(&mut self, span: Span, sources: &Sources, mark: &Mark<'_>) {
        let Some(source) = sources.get(span.file) else {
            return;
        };
        let Place { file, line, column, .. } = Place::of(span, sources);
        let arrow = self.paint.say(Style::Blue, mark.arrow);
        let _ =
            writeln!(self.out, "{:digits$}{arrow} {}:{line}:{column}", "", shown(file), digits = self.digits);
        self.gutter(None, "");
        let covered = covered_lines(span, source);
        let last = covered.last().map_or(line, |(number, ..)| *number);
        let mut before = None;
        for (number, start, end) in covered {
            if before.is_some_and(|before| before + 1 < number) {
                self.gutter(None, "...");
            }
            before = Some(number);
            let (text, pad, width) = underlined(source.line(number), start, end);
            self.gutter(Some(number), &text);
            let words = if number == last { mark.words } else { "" };
            let words = if words.is_empty() { String::new() } else { format!(" {}", shown(words)) };
            let under = self.paint.say(mark.style, &format!("{}{words}", mark.sign.repeat(width)));
            self.gutter(None, &format!("{}{under}", " ".repeat(pad)));
        }
    }

    fn gutter(&mut self, number: Option<u32>, text: &str) {
        let number = number.map_or_else(String::new, |number| number.to_string());
        let lead = self.paint.say(Style::Blue, &format!("{number:>digits$} |", digits = self.digits));
        let blank = if text.is_empty() { "" } else { " " };
        let _ = writeln!(self.out, "{lead}{blank}{text}");
    }
}

/// Lines of a span that are shown, each with the covered columns: from 0, in characters, end exclusive.
fn covered_lines(span: Span, source: &SourceFile) -> Vec<(u32, usize, usize)> {
    let (first, column) = source.line_column(span.start);
    let (mut last, mut end_column) = source.line_column(span.end.max(span.start));
    if last > first && end_column == 1 {
        // Ends behind a line break: the line before it is the last one covered.
        last -= 1;
        end_column = u32::MAX;
    }
    let skipped = if last - first >= SPAN_LINES_MAX { first + 2..last } else { first..first };
    let mut lines = Vec::new();
    for number in (first..=last).filter(|number| !skipped.contains(number)) {
        let line = source.line(number);
        let length = line.chars().count();
        let indent = line.chars().take_while(|c| c.is_whitespace()).count();
        let from = if number == first { column.saturating_sub(1) as usize } else { indent };
        let to = if number == last { end_column.saturating_sub(1) as usize } else { length };
        if number == first || number == last || from < to {
            lines.push((number, from.min(length), to.clamp(from.min(length), length)));
        }
    }
    lines
}

/// A line as it is shown, with the width before the underlined part and of it, at least one.
fn underlined(line: &str, start: usize, end: usize) -> (String, usize, usize) {
    let length = line.chars().count();
    let (from, to) = if length <= LINE_CHARS_MAX {
        (0, length)
    } else {
        let from = start.saturating_sub(LEAD_CHARS);
        (from, length.min(from + LINE_CHARS_MAX))
    };
    let part = |from: usize, to: usize| -> String {
        shown(&line.chars().skip(from).take(to.saturating_sub(from)).collect::<String>())
    };
    let (cut_before, cut_after) = (if from > 0 { "…" } else { "" }, if to < length { "…" } else { "" });
    let end = end.min(to);
    let head = format!("{cut_before}{}", part(from, start));
    let marked = part(start, end);
    let text = format!("{head}{marked}{}{cut_after}", part(end.max(start), to));
    (text.trim_end().to_owned(), head.width(), marked.width().max(1))
}
