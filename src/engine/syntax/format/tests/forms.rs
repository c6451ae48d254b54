//! Forms of single nodes, from trees made by hand.

use crate::engine::source::{FileId, SourceFile, Span, Spanned};
use crate::engine::syntax::ast::*;
use crate::engine::syntax::format::columns::Widths;
use crate::engine::syntax::format::{definition, expr, format, rule, words};

fn at<T>(node: T) -> Spanned<T> {
    Spanned::new(node, Span::default())
}

fn name(text: &str) -> Name {
    at(text.to_owned())
}

fn node(kind: ExprKind) -> Expr {
    Expr { span: Span::default(), kind }
}

fn path(text: &str) -> Expr {
    node(ExprKind::Path(text.into()))
}

fn item(kind: ItemKind) -> String {
    definition::one_line(&kind).text(&Widths::default())
}

fn clause(kind: ClauseKind) -> String {
    rule::clause_text(&kind)
}

const DAY: DateLit = DateLit { year: 2026, month: 3, day: 6 };

fn noon() -> Spanned<LocalTime> {
    at(LocalTime { date: DAY, second: 12 * 3600 })
}

fn given(kind: TestLineKind) -> String {
    crate::engine::syntax::format::test_block::line_text(&kind)
}

#[test]
fn numbers_are_as_written() {
    let cases = [(4350, 2, "43.50"), (5, 2, "0.05"), (0, 1, "0.0"), (-5, 1, "-0.5"), (7, 0, "7")];
    for (mantissa, scale, expected) in cases {
        assert_eq!(words::decimal(Decimal { mantissa, scale }), expected);
    }
    let smallest = Decimal { mantissa: i64::MIN, scale: 18 };
    assert_eq!(words::decimal(smallest), "-9.223372036854775808");
}

#[test]
fn units_stand_where_they_are_shown() {
    let five = Decimal { mantissa: 5, scale: 0 };
    let shown = ["bpm", "%", "steps", "EUR", "mmol", "each", "x2"].map(|unit| words::quantity(five, unit));
    assert_eq!(shown, ["5bpm", "5%", "5 steps", "5 EUR", "5 mmol", "5each", "5x2"]);
}

#[test]
fn durations_are_canonical() {
    let cases = [(0, "0min"), (90, "1h30m"), (30, "30min"), (60, "1h"), (1500, "25h")];
    for (minutes, expected) in cases {
        assert_eq!(words::duration(minutes * 60_000), expected);
    }
    assert_eq!(words::duration(45_000), "45s");
}

#[test]
fn texts_are_escaped() {
    assert_eq!(words::quoted("a \"b\" \\ c\nd {e}"), r#""a \"b\" \\ c\nd {e}""#);
    let parts = vec![TemplatePart::Text("{\"x\"} ".into()), TemplatePart::Value(path("usual"))];
    let call = node(ExprKind::Call(name("f"), vec![node(ExprKind::Text("a".into()))]));
    let parts: Vec<_> = parts.into_iter().chain([TemplatePart::Value(call)]).collect();
    let say = Say { text: Template { span: Span::default(), parts }, each: None, otherwise: None };
    assert_eq!(clause(ClauseKind::Say(say)), r#"say      "{{\"x\"}} {usual}{f(\"a\")}""#);
}

#[test]
fn definitions_with_everything() {
    let zone = Zone {
        name: name("home"),
        iana: name("Asia/Tokyo"),
        default: Some(Span::default()),
        gap: Some(at(Gap::Skip)),
        fold: Some(at(Fold::Both)),
    };
    assert_eq!(item(ItemKind::Zone(zone)), "zone     home = \"Asia/Tokyo\", default, gap skip, fold both");
    let window = |days, from, to| QuietWindow { days, from: at(Clock(from)), to: at(Clock(to)) };
    let windows = vec![
        window(Vec::new(), 23 * 60, 7 * 60),
        window(vec![at(Weekday::Fri), at(Weekday::Sat)], 23 * 60 + 30, 1440),
    ];
    let quiet = Quiet { name: name("nights"), windows, zone: Some(name("home")) };
    assert_eq!(
        item(ItemKind::Quiet(quiet)),
        "quiet    nights = 23:00 to 07:00, on Fri, Sat: 23:30 to 24:00 in home"
    );
    let function = Function {
        name: name("strain"),
        params: vec![(name("a"), name("ms")), (name("b"), name("bpm"))],
        returns: name("number"),
        from: name("lib/f.rhai"),
    };
    assert_eq!(
        item(ItemKind::Function(function)),
        "function strain (a ms, b bpm) -> number from \"lib/f.rhai\""
    );
    let unit = UnitDef { name: name("mmol"), scale: at(2) };
    assert_eq!(item(ItemKind::Unit(unit)), "unit     mmol scale 2");
}

#[test]
fn all_kinds_of_schedules() {
    let nine = || vec![at(Clock(540)), at(Clock(1080))];
    let cases = [
        (ScheduleKind::Daily(nine()), None, "daily at 09:00, 18:00 in home"),
        (
            ScheduleKind::Monthly(at(30), nine()),
            Some(Late::Skip),
            "monthly on 30 at 09:00, 18:00 in home, late skip",
        ),
        (
            ScheduleKind::Before(at(1_800_000), name("a.b")),
            Some(Late::Within(1_200_000)),
            "30min before a.b in home, late 20min",
        ),
        (
            ScheduleKind::Weekly(vec![at(Weekday::Sun), at(Weekday::Wed)], vec![at(Clock(540))]),
            Some(Late::Until(Clock(660))),
            "on Sun, Wed at 09:00 in home, late until 11:00",
        ),
    ];
    for (kind, late, expected) in cases {
        let schedule =
            Schedule { name: name("s"), kind: at(kind), zone: Some(name("home")), late: late.map(at) };
        assert_eq!(item(ItemKind::Schedule(schedule)), format!("schedule s = {expected}"));
    }
}

#[test]
fn clauses_that_the_example_does_not_have() {
    let escalate =
        Escalate { level: at(Level::Ring), within: Some(name("b")), after: at(900_000), unless_seen: true };
    let then = Then { level: at(Level::Tell), within: None, at: Some(name("s")), escalate: Some(escalate) };
    let nights = CalendarSpan { count: 1, unit: CalendarUnit::Night };
    let cases = [
        (ClauseKind::Off, "off"),
        (ClauseKind::Then(then), "then     tell at s, then ring within b after 15min unless seen"),
        (ClauseKind::Wait(at(Length::Calendar(nights))), "wait     1 night"),
        (
            ClauseKind::Quiet(name("n"), at(QuietPolicy::KeepIfTrue)),
            "quiet    n: keep until end, drop if no longer true",
        ),
        (ClauseKind::Unknown(at(UnknownPolicy::Fire)), "unknown  fire"),
        (ClauseKind::ClearWhen(path("x")), "clear when  x"),
    ];
    for (kind, expected) in cases {
        assert_eq!(clause(kind), expected);
    }
}

#[test]
fn expressions_that_the_example_does_not_have() {
    let boxed = |text: &str| Box::new(path(text));
    let both = || vec![path("a"), path("b")];
    let cases = [
        (ExprKind::AtLeast(at(2), both()), "at least 2 of (a, b)"),
        (ExprKind::Call(name("f"), both()), "f(a, b)"),
        (ExprKind::Between(boxed("x"), boxed("a"), boxed("b")), "x in a to b"),
        (
            ExprKind::Not(Box::new(node(ExprKind::Group(Box::new(node(ExprKind::Or(both()))))))),
            "not (a or b)",
        ),
        (ExprKind::IsMissing(boxed("a")), "a is missing"),
        (ExprKind::Instant(DAY, 9 * 3600 + 5), "2026-03-06 09:00:05"),
        (ExprKind::Smaller(boxed("a"), boxed("b")), "smaller of a and b"),
        (ExprKind::Nothing(vec![name("a"), name("b")], at(3_600_000)), "nothing from a, b for 1h"),
    ];
    for (kind, expected) in cases {
        assert_eq!(expr::expr(&node(kind)), expected);
    }
}

#[test]
fn lines_of_tests() {
    let values = vec![(Some(path("x")), 3), (None, 1), (None, 2)];
    let cadence = at(Cadence::Every(900_000));
    let expected = Expect {
        at: noon(),
        rule: name("r"),
        level: None,
        outcome: at(Outcome::Suppressed),
        gate: Some(name("quiet")),
        per: vec![name("e1")],
        says: Some(name("Hi.")),
        span: Span::default(),
    };
    let gone = TestLineKind::Item {
        stream: name("s.t"),
        id: name("e1"),
        fields: vec![],
        at: Some(noon()),
        removed: true,
    };
    let cases = [
        (
            TestLineKind::Series { signal: name("a.b"), cadence, at: None, from: at(DAY), values },
            "given    a.b every 15min from 2026-03-06: x x3, missing, missing x2",
        ),
        (
            TestLineKind::Reading {
                signal: name("a.b"),
                value: path("x"),
                at: noon(),
                observed: Some(noon()),
            },
            "given    a.b x at 2026-03-06 12:00 observed 2026-03-06 12:00",
        ),
        (gone, "given    s.t \"e1\" removed at 2026-03-06 12:00"),
        (
            TestLineKind::Snooze(None, noon(), noon()),
            "given    snooze all at 2026-03-06 12:00 until 2026-03-06 12:00",
        ),
        (TestLineKind::Down(noon(), noon()), "given    down from 2026-03-06 12:00 to 2026-03-06 12:00"),
        (TestLineKind::HandoverFailed(name("r"), noon()), "given    handover r failed at 2026-03-06 12:00"),
        (
            TestLineKind::Expect(Box::new(expected)),
            "expect   2026-03-06 12:00 r suppressed by quiet per \"e1\" says \"Hi.\"",
        ),
    ];
    for (kind, expected) in cases {
        assert_eq!(given(kind), expected);
    }
}

#[test]
fn a_number_takes_no_field_for_its_unit() {
    let number = || node(ExprKind::Number(Decimal { mantissa: 5, scale: 0 }));
    let fields = vec![(name("a"), number()), (name("b"), number()), (name("c"), path("open"))];
    let item = TestLineKind::Item { stream: name("s.t"), id: name("e1"), fields, at: None, removed: false };
    assert_eq!(given(item), "given    s.t \"e1\" a 5 b 5  c open");
}

/// The place of a part of a text.
fn place(text: &str, part: &str) -> Span {
    let start = text.find(part).unwrap();
    Span { file: FileId(0), start: start as u32, end: (start + part.len()) as u32 }
}

#[test]
fn comments_inside_a_clause_move_above_it() {
    let text = "rule a # head\n  when x # one\n    # two\n    and y # three\n  off # four\n";
    let when = "when x # one\n    # two\n    and y";
    let clauses = vec![
        Clause {
            span: place(text, when),
            kind: ClauseKind::When(node(ExprKind::And(vec![path("x"), path("y")]))),
        },
        Clause { span: place(text, "off"), kind: ClauseKind::Off },
    ];
    let head = Spanned::new("a".to_owned(), Span { file: FileId(0), start: 5, end: 6 });
    let rule = Rule { name: head, title: None, clauses };
    let span = Span { file: FileId(0), start: 0, end: place(text, "off").end };
    let comments = ["# head", "# one", "# two", "# three", "# four"].map(|comment| Comment {
        span: place(text, comment),
        text: comment.trim_start_matches('#').to_owned(),
        own_line: comment == "# two",
    });
    let items = vec![Item { span, kind: ItemKind::Rule(rule), broken: false }];
    let file = File { id: FileId(0), items, comments: comments.into(), unread: Vec::new() };
    let expected = "rule a  # head\n  off  # four\n  # one\n  # two\n  when     x and y  # three\n";
    assert_eq!(format(&file, &SourceFile::new("a.rule", text)), expected);
}
