//! Deliveries that `test` blocks cannot show whole: messages and their effects, the order of one instant,
//! what an edited rule set takes over, and the records that answer a decision.

use std::collections::BTreeMap;

use verger::engine::decision::{Decision, Line};
use verger::engine::record::Record;
use verger::engine::resolve::{Inputs, resolve};
use verger::engine::rule_set::RuleSet;
use verger::engine::source::{SourceFile, Sources};
use verger::engine::state::State;
use verger::engine::step::{Effect, Event, step};
use verger::engine::syntax::ast::{Level, Outcome};
use verger::engine::syntax::parse;
use verger::engine::time::{Instant, parse_instant};
use verger::engine::trace::Event as TraceEvent;

const HEAD: &str = r#"
zone     home = "America/Toronto"
quiet    nights = 23:00 to 07:00 in home
budget   few = 2 per day in home
schedule evening = daily at 18:00 in home
schedule seven = daily at 07:00 in home
signal   v number sampled fresh 30h range 0 to 100
signal   w number sampled fresh 30h range 0 to 100
stream   post { title text }
"#;

fn rule_set(rules: &str) -> RuleSet {
    let mut sources = Sources::default();
    let file = SourceFile::new("all.rule", format!("{HEAD}{rules}"));
    let id = sources.add(file.clone());
    let (tree, mut found) = parse(&file, id);
    let resolved = resolve(&[tree], &sources, &Inputs::default());
    found.extend(resolved.diagnostics);
    assert!(found.is_empty(), "{found:#?}");
    resolved.rules
}

/// A clock of 2026-03-DD in Toronto's winter.
fn at(day: u32, clock: &str) -> Instant {
    parse_instant(&format!("2026-03-{day:02}T{clock}:00-05:00")).unwrap()
}

/// An engine that is fed line by line.
struct Desk {
    rules: RuleSet,
    state: State,
    said: Vec<Decision>,
    effects: Vec<Effect>,
}

impl Desk {
    fn new(rules: &str) -> Self {
        let rules = rule_set(rules);
        let state = State::new(&rules);
        Self { rules, state, said: Vec::new(), effects: Vec::new() }
    }

    /// Records of one instant, as the JSON after `at`; the decisions that they led to, by `at` or before it.
    fn feed(&mut self, day: u32, clock: &str, records: &[&str]) -> Vec<String> {
        let records: Vec<Record> = records
            .iter()
            .map(|record| {
                let line = format!(r#"{{"at":"2026-03-{day:02}T{clock}:00-05:00",{record}}}"#);
                let mut read = verger::engine::records::Reader::new(&self.rules);
                match read.read_line(line.as_bytes()) {
                    Ok(verger::engine::records::Read::Record(record)) => record,
                    other => panic!("{line}: {other:?}"),
                }
            })
            .collect();
        let outcome = step(&self.rules, &mut self.state, Event { at: at(day, clock), records: &records });
        self.effects = outcome.effects;
        let decisions: Vec<Decision> = outcome
            .lines
            .into_iter()
            .filter_map(|line| match line {
                Line::Decision(decision) => Some(*decision),
                Line::Missed { .. } => None,
            })
            .collect();
        self.said.extend(decisions.iter().cloned());
        decisions.iter().map(shown).collect()
    }

    /// Other rules from now on.
    fn edit(&mut self, rules: &str) {
        let rules = rule_set(rules);
        assert_ne!(rules.hash, self.rules.hash, "an edit changes the set");
        self.state = self.state.carry(&self.rules, &rules);
        self.rules = rules;
    }

    /// The last decision of a rule.
    fn last(&self, rule: &str) -> &Decision {
        self.said.iter().rev().find(|decision| &*decision.rule == rule).unwrap()
    }
}

/// `rule outcome`, and the gate if one stopped it.
fn shown(decision: &Decision) -> String {
    let outcome = format!("{:?}", decision.outcome).to_lowercase();
    let gate = decision.gate.as_ref().map(|gate| format!(" by {gate}")).unwrap_or_default();
    format!("{} {outcome}{gate}", decision.rule)
}

const NONE: [&str; 0] = [];

#[test]
fn what_is_released_together_is_one_message_and_each_uses_its_budget() {
    let mut desk = Desk::new(
        "rule a \"A\"\n  when v > 10\n  then tell within few\n\
         rule b \"B\"\n  when v > 10\n  then ring within few\n\
         rule c \"C\"\n  when v > 10\n  then tell within few\n\
         rule d \"D\"\n  when w > 10\n  then tell within few\n",
    );
    desk.feed(2, "23:30", &[r#""signal":"v","value":20"#]);
    assert_eq!(desk.effects, [], "what is kept is not handed over");
    // The loudest enters first, then by name; the budget is enough for two.
    assert_eq!(desk.feed(3, "07:00", &[]), ["b delivered", "a delivered", "c suppressed by budget"]);
    let (a, b) = (desk.last("a").clone(), desk.last("b").clone());
    assert!(a.id != b.id && a.message.is_some() && a.message == b.message);
    let message = a.message.clone().unwrap();
    let both = Effect::HandOver { message, decisions: vec![b.id.clone(), a.id.clone()], level: Level::Ring };
    assert_eq!(desk.effects, [both], "one hand-over, as loud as the loudest");
    assert_eq!(desk.feed(3, "08:00", &[r#""signal":"w","value":20"#]), ["d suppressed by budget"]);
    // One of the message fails: its budget comes back, the other stays delivered.
    let failed = format!(r#""handover":"{}","result":"failed""#, a.id);
    desk.feed(3, "08:10", &[r#""signal":"v","value":1"#]);
    assert_eq!(desk.feed(3, "08:20", &[&failed]), ["a expired by handover"]);
    desk.feed(3, "08:30", &[r#""signal":"w","value":1"#]);
    assert_eq!(desk.feed(3, "08:40", &[r#""signal":"w","value":20"#]), ["d delivered"]);
}

#[test]
fn several_digests_are_one_message() {
    let mut desk = Desk::new(
        "rule a \"A\"\n  when v > 10\n  then digest at evening\n\
         rule b \"B\"\n  when w > 10\n  then digest at evening\n\
         rule c \"C\"\n  on post as p\n  then digest at evening\n\
         rule tell \"T\"\n  on evening\n  then tell\n",
    );
    desk.feed(2, "12:00", &[r#""signal":"v","value":20"#]);
    desk.feed(2, "12:10", &[r#""signal":"w","value":20"#]);
    desk.feed(2, "12:20", &[r#""event":"post","id":"x","fields":{"title":"X"}"#]);
    let said = desk.feed(2, "18:00", &[]);
    assert_eq!(said, ["a digested", "b digested", "c digested", "tell delivered"]);
    let message = desk.last("a").message.clone().unwrap();
    assert!(["b", "c"].iter().all(|rule| desk.last(rule).message.as_ref() == Some(&message)));
    assert_ne!(desk.last("tell").message.as_ref(), Some(&message));
    let Effect::HandOver { message: first, decisions, level } = &desk.effects[0];
    assert_eq!((first, decisions.len(), *level), (&message, 3, Level::Digest));
    assert_eq!(desk.effects.len(), 2);
    // A digest consumes its identity: the same item fed again is no trigger and no line.
    assert_eq!(desk.feed(2, "19:00", &[r#""event":"post","id":"x","fields":{"title":"X"}"#]), NONE);
}

#[test]
fn at_one_instant_releases_come_first_then_schedules_then_what_records_cause() {
    let mut desk = Desk::new(
        "rule z-kept \"Kept\"\n  when v > 10\n  then note\n\
         rule y-run \"Run\"\n  on seven\n  then note\n\
         rule x-loud \"Loud\"\n  when w > 10\n  then ring\n\
         rule b-item \"Item\"\n  on post as p\n  then tell\n\
         rule a-item \"Item\"\n  on post as p\n  then tell\n\
         rule w-run \"Run\"\n  on seven\n  then tell\n",
    );
    desk.feed(2, "23:30", &[r#""signal":"v","value":20"#]);
    let records = [
        r#""event":"post","id":"2","fields":{"title":"second"}"#,
        r#""event":"post","id":"1","fields":{"title":"first"}"#,
        r#""signal":"w","value":20"#,
    ];
    let said = desk.feed(3, "07:00", &records);
    // Then by level, rule name and identity.
    let expected = ["z-kept", "w-run", "y-run", "x-loud", "a-item", "a-item", "b-item", "b-item"];
    assert_eq!(said, expected.map(|rule| format!("{rule} delivered")));
    let items: Vec<&str> = desk.said.iter().rev().take(4).map(|said| &*said.occurrence).collect();
    assert_eq!(items, ["2", "1", "2", "1"]);
}

#[test]
fn an_escalation_has_the_id_of_its_trigger_and_a_mark() {
    let mut desk = Desk::new("rule a \"A\"\n  when v > 10\n  then tell, then ring after 2h unless seen\n");
    desk.feed(2, "12:00", &[r#""signal":"v","value":20"#]);
    let first = desk.last("a").clone();
    assert_eq!(desk.feed(2, "14:00", &[]), ["a delivered"]);
    let second = desk.last("a");
    assert_eq!(*second.id, format!("{}/ring", first.id));
    assert_eq!((&second.per, &second.occurrence), (&first.per, &first.occurrence));
    assert_eq!((first.level, second.level), (Level::Tell, Level::Ring));
}

#[test]
fn an_expired_identity_comes_back_under_another_number_and_a_consumed_one_never() {
    let mut desk = Desk::new("rule a \"A\"\n  when v > 10\n  then tell\n  once per day\n  expires 1h\n");
    desk.feed(2, "05:30", &[r#""signal":"v","value":20"#]);
    let kept = desk.last("a").id.clone();
    assert_eq!(desk.feed(2, "06:30", &[]), ["a expired by expired", "a kept by quiet"]);
    assert_eq!(desk.said[1].id, kept);
    let again = desk.last("a").clone();
    assert!(again.id != kept && again.occurrence == desk.said[0].occurrence, "`#2` of the same occurrence");
    assert_eq!(desk.feed(2, "07:00", &[]), ["a delivered"]);
    assert_eq!(desk.last("a").id, again.id, "kept and delivered are one trigger");
    for clock in ["08:00", "09:00", "10:00"] {
        assert_eq!(desk.feed(2, clock, &[r#""signal":"v","value":1"#]), NONE);
        assert_eq!(desk.feed(2, &clock.replace(":00", ":30"), &[r#""signal":"v","value":20"#]), NONE);
    }
}

#[test]
fn everything_produced_has_one_end_or_is_still_kept() {
    let mut desk = Desk::new(
        "rule a \"A\"\n  when v > 10\n  then tell within few\n  expires 3h\n\
         rule b \"B\"\n  when v > 10\n  then digest at evening\n\
         rule c \"C\"\n  when v > 10\n  then tell\n  quiet nights: drop\n\
         rule e \"E\"\n  when v > 10\n  then tell\n  quiet nights: pass\n",
    );
    for day in 2..5 {
        for (place, clock) in ["05:10", "09:10", "12:10", "15:10", "23:10"].iter().enumerate() {
            desk.feed(day, clock, &[r#""signal":"v","value":20"#]);
            let failed = format!(r#""handover":"{}","result":"failed""#, desk.last("e").id);
            let back = if place == 1 {
                vec![&*failed, r#""signal":"v","value":1"#]
            } else {
                vec![r#""signal":"v","value":1"#]
            };
            desk.feed(day, &clock.replace(":10", ":40"), &back);
        }
    }
    let mut ends: BTreeMap<&str, Outcome> = BTreeMap::new();
    for decision in &desk.said {
        ends.insert(&decision.id, decision.outcome);
    }
    let count = |outcome: Outcome| ends.values().filter(|end| **end == outcome).count();
    for outcome in
        [Outcome::Delivered, Outcome::Digested, Outcome::Suppressed, Outcome::Expired, Outcome::Kept]
    {
        assert!(count(outcome) > 0, "{outcome:?} is in the sum");
    }
    assert_eq!(count(Outcome::Kept), desk.state.kept.len(), "what is kept last is still kept");
    assert!(desk.state.kept.values().all(|kept| ends.get(&*kept.trigger.id) == Some(&Outcome::Kept)));
}

#[test]
fn an_edited_rule_has_its_old_budget_wait_and_identities() {
    let rule = |condition: &str, more: &str| {
        format!(
            "rule a \"A\"\n  when {condition}\n  then tell within few\n  wait 3h\n  once per hour\n{more}"
        )
    };
    let mut desk = Desk::new(&rule("v > 10", ""));
    assert_eq!(desk.feed(2, "08:10", &[r#""signal":"v","value":20"#]), ["a delivered"]);
    desk.edit(&rule("v > 11", "  say \"now {v}\"\n"));
    assert_eq!(desk.feed(2, "08:20", &[]), NONE, "08:00 was told before the edit");
    assert_eq!(desk.feed(2, "09:00", &[]), ["a suppressed by repeat"], "its wait runs on");
    assert_eq!(
        desk.feed(2, "12:00", &[]),
        ["a suppressed by repeat", "a suppressed by repeat", "a delivered"]
    );
    desk.edit(&rule("v > 12", "").replace("wait 3h", "wait 1h"));
    let said = desk.feed(2, "14:00", &[]);
    assert_eq!(said, ["a suppressed by budget", "a suppressed by budget"], "two were delivered today");
    // The budget's period is edited too: the week has the two of today.
    desk.edit(&format!("budget some = 2 per week in home\n{}", rule("v > 12", "").replace("few", "some")));
    assert_eq!(desk.feed(2, "15:00", &[]), ["a delivered"], "another budget is another name");
}

#[test]
fn another_period_of_a_budget_does_not_refill_it() {
    let rule = "rule a \"A\"\n  on post as p\n  then tell within few\n";
    let mut desk = Desk::new(rule);
    let post = |id: &str| format!(r#""event":"post","id":"{id}","fields":{{"title":"t"}}"#);
    assert_eq!(desk.feed(3, "08:00", &[&post("a"), &post("b")]), ["a delivered", "a delivered"]);
    let head = HEAD.replace("few = 2 per day", "few = 2 per week");
    let mut sources = Sources::default();
    let file = SourceFile::new("all.rule", format!("{head}{rule}"));
    let id = sources.add(file.clone());
    let edited = resolve(&[parse(&file, id).0], &sources, &Inputs::default()).rules;
    desk.state = desk.state.carry(&desk.rules, &edited);
    desk.rules = edited;
    assert_eq!(desk.feed(4, "08:00", &[&post("c")]), ["a suppressed by budget"], "two of this week are used");
    assert_eq!(desk.feed(9, "08:00", &[&post("d")]), ["a delivered"]);
}

#[test]
fn kept_triggers_escalations_and_episodes_are_taken_over_by_an_edited_set() {
    let rules = |title: &str| {
        format!(
            "rule a \"{title}\"\n  when v > 10\n  then tell\n\
             rule b \"B\"\n  when w > 10\n  then tell, then ring after 2h unless seen\n\
             rule echo \"Echo\"\n  on rules.fired as f\n  when f.rule = \"b\"\n  then note\n  quiet nights: pass\n"
        )
    };
    let mut desk = Desk::new(&rules("A"));
    assert_eq!(desk.feed(2, "22:30", &[r#""signal":"w","value":20"#]), ["b delivered"]);
    desk.edit(&rules("Edited"));
    assert_eq!(desk.feed(2, "22:40", &[]), ["echo delivered"], "a firing that nobody had read yet is read");
    assert_eq!(desk.feed(2, "23:30", &[r#""signal":"v","value":20"#]), ["a kept by quiet"]);
    desk.edit(&rules("Edited again"));
    assert_eq!(desk.feed(3, "06:59", &[]), ["b kept by quiet"]);
    assert_eq!(desk.feed(3, "07:00", &[]), ["b delivered", "a delivered"]);
    assert_eq!(&*desk.last("a").text, "Edited again", "the text of that moment");
    assert_eq!(desk.feed(3, "08:00", &[r#""signal":"v","value":21"#]), NONE, "the episode runs on");
}

#[test]
fn a_firing_of_the_last_instant_before_a_time_down_is_read_at_the_restart() {
    let mut desk = Desk::new(
        "rule a \"A\"\n  when v > 10\n  then tell\n\
         rule echo \"Echo\"\n  on rules.fired as f\n  then note\n  say \"{f.rule}\"\n",
    );
    assert_eq!(desk.feed(2, "12:00", &[r#""signal":"v","value":20"#, r#""down":true"#]), ["a delivered"]);
    assert_eq!(desk.feed(2, "13:00", &[r#""restart":true"#]), ["echo delivered"]);
}

#[test]
fn nothing_is_judged_when_nothing_that_is_read_happens() {
    let mut desk = Desk::new(
        "rule a \"A\"\n  when v > 10\n  then tell\nrule b \"B\"\n  on post as p\n  when w > 10\n  then tell\n",
    );
    desk.feed(2, "12:00", &[r#""signal":"v","value":20"#, r#""signal":"w","value":5"#]);
    let judged = |desk: &mut Desk, clock: &str, line: &str| {
        let line = format!(r#"{{"at":"2026-03-02T{clock}:00-05:00",{line}}}"#);
        let mut reader = verger::engine::records::Reader::new(&desk.rules);
        let Ok(verger::engine::records::Read::Record(record)) = reader.read_line(line.as_bytes()) else {
            panic!("{line}")
        };
        let event = Event { at: at(2, clock), records: &[record] };
        let trace = step(&desk.rules, &mut desk.state, event).trace;
        let judged = trace.events.iter().filter(|event| matches!(event, TraceEvent::Judged { .. }));
        judged.count()
    };
    assert_eq!(judged(&mut desk, "12:10", r#""tick":true"#), 0);
    assert_eq!(judged(&mut desk, "12:20", r#""signal":"w","value":20"#), 0, "only read when a post comes");
    assert_eq!(judged(&mut desk, "12:30", r#""feedback":"x","verdict":"noise""#), 0);
    assert_eq!(judged(&mut desk, "12:40", r#""event":"post","id":"1","fields":{}"#), 1);
    assert_eq!(
        judged(&mut desk, "12:50", r#""event":"post","id":"1","fields":{"title":"new"}"#),
        0,
        "a revision"
    );
    assert_eq!(judged(&mut desk, "13:00", r#""signal":"v","value":5"#), 1);
}

#[test]
fn answers_to_decisions() {
    let rules = "rule a \"A\"\n  when v > 10\n  then tell, then ring after 2h unless seen\n\
                 rule b \"B\"\n  when w > 10\n  then tell\n";
    let id_of = |rule: &str| {
        let mut desk = Desk::new(rules);
        desk.feed(2, "12:00", &[r#""signal":"v","value":20"#]);
        desk.feed(2, "23:10", &[r#""signal":"w","value":20"#]);
        desk.last(rule).id.to_string()
    };
    let (a, b) = (id_of("a").replace("/ring", ""), id_of("b"));
    // What is said from noon on when these records come at 13:00 and 23:20.
    let said = |day: &str, night: &[&str]| {
        let mut desk = Desk::new(rules);
        desk.feed(2, "12:00", &[r#""signal":"v","value":20"#]);
        desk.feed(2, "13:00", &[day]);
        desk.feed(2, "23:10", &[r#""signal":"w","value":20"#]);
        desk.feed(2, "23:20", night);
        desk.feed(3, "08:00", &[]);
        desk.said.iter().map(shown).collect::<Vec<_>>()
    };
    let all = ["a delivered", "a delivered", "b kept by quiet", "b delivered"];
    assert_eq!(said(r#""tick":true"#, &[]), all);
    assert_eq!(said(&format!(r#""seen":"{a}""#), &[]), ["a delivered", "b kept by quiet", "b delivered"]);
    // These change nothing: they are for the person's own figures.
    let noise = format!(r#""feedback":"{a}","verdict":"noise""#);
    for other in
        [&noise, r#""missed":"the bus""#, r#""seen":"nobody""#, r#""restart":true"#, r#""approved":"x""#]
    {
        assert_eq!(said(other, &[]), all, "{other}");
    }
    let handed_over = format!(r#""handover":"{a}","result":"sent""#);
    assert_eq!(said(&handed_over, &[]), all, "a hand-over that worked says nothing new");
    // Rejected while it waits; an approval takes the rejection back.
    let (no, yes) = (format!(r#""rejected":"{b}""#), format!(r#""approved":"{b}""#));
    let stopped = ["a delivered", "a delivered", "b kept by quiet", "b suppressed by rejected before"];
    assert_eq!(said(r#""tick":true"#, &[&no]), stopped);
    assert_eq!(said(r#""tick":true"#, &[&no, &yes]), all);
    // A snooze of every rule, and the quiet that the person asked for.
    let until = r#""until":"2026-03-02T15:00:00-05:00""#;
    let held = ["a delivered", "a kept by snoozed", "a delivered", "b kept by quiet", "b delivered"];
    assert_eq!(said(&format!(r#""snooze":"*",{until}"#), &[]), held);
    assert_eq!(said(&format!(r#""snooze":"a",{until}"#), &[]), held);
    assert_eq!(said(&format!(r#""snooze":"b",{until}"#), &[]), all);
    let quiet = ["a delivered", "a kept by quiet", "a delivered", "b kept by quiet", "b delivered"];
    assert_eq!(said(&format!(r#""quiet":true,{until}"#), &[]), quiet);
    // Between `down` and `restart` nothing runs; what came meanwhile counts from the restart.
    let mut desk = Desk::new(rules);
    desk.feed(2, "08:00", &[r#""down":true"#]);
    assert_eq!(desk.feed(2, "09:00", &[r#""signal":"v","value":20"#]), NONE);
    assert_eq!(desk.feed(2, "10:00", &[r#""signal":"w","value":20"#]), NONE);
    assert_eq!(desk.feed(2, "11:00", &[r#""restart":true"#]), ["a delivered", "b delivered"]);
}
