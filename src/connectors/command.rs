//! A program of the owner's that prints lines of recorded days.
//!
//! It is run without a shell and without input, with limits of time and size; what it prints is read like any
//! source's lines, so it can give readings and items and nothing else.

use super::source::{
    Answer, Ask, Begin, Conversation, Failure, Memory, Program, Reading, SourceKind, Step, unexpected,
};
use crate::config::{Form, OptionDef, Settings};

/// Its row.
pub const SOURCE: SourceKind = SourceKind {
    name: "command",
    about: "A program of yours that prints recorded days",
    options: &[
        OptionDef::required(
            "command",
            Form::Texts,
            "The program and its arguments, such as `[\"./weight\", \"--today\"]`",
        ),
        OptionDef::optional("timeout", Form::Duration, "Longest time that it may take [default: 30s]"),
    ],
    gives: &[],
    every: Some(900_000),
    check,
    begin: |settings, _: Begin| Box::new(Run { program: program(settings) }),
};

/// Time where none is written, and the longest that may be, in milliseconds.
const TIME_MS: i64 = 30_000;
const TIME_MS_MAX: i64 = 600_000;
/// Largest output.
const BYTES_MAX: u64 = 8 << 20;

fn check(settings: &Settings) -> Result<(), String> {
    if settings.texts("command").first().is_none_or(|program| program.trim().is_empty()) {
        return Err("`command` begins with the name of a program".to_owned());
    }
    match settings.duration("timeout") {
        Some(ms) if ms > TIME_MS_MAX => Err("`timeout` is at most 10 minutes".to_owned()),
        _ => Ok(()),
    }
}

fn program(settings: &Settings) -> Program {
    Program {
        words: settings.texts("command").to_vec(),
        time_ms_max: settings.duration("timeout").unwrap_or(TIME_MS),
        bytes_max: BYTES_MAX,
    }
}

struct Run {
    program: Program,
}

impl Conversation for Run {
    fn next(&mut self, answer: Option<Answer>) -> Result<Step, Failure> {
        match answer {
            None => Ok(Step::Ask(Ask::Run(self.program.clone()))),
            Some(Answer::Output(bytes)) => {
                let text = String::from_utf8(bytes)
                    .map_err(|_| Failure::NotUnderstood("what it printed is not UTF-8 text".to_owned()))?;
                let lines = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned);
                Ok(Step::Done(Reading {
                    lines: lines.collect(),
                    memory: Memory::default(),
                    ..Reading::default()
                }))
            }
            Some(other) => Err(unexpected(&other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Setting;
    use crate::connectors::source::script::Script;

    #[test]
    fn every_line_is_given_through() {
        let read = |output: &[u8]| {
            Script::with_output(output).read(&SOURCE, &Settings::default(), &Memory::default())
        };
        assert_eq!(read(b"{1}\n\n{2}").unwrap().lines, ["{1}", "{2}"]);
        assert_eq!(read(b"").unwrap(), Reading::default());
        assert!(matches!(read(b"\xff"), Err(Failure::NotUnderstood(_))));
    }

    #[test]
    fn a_program_is_named_and_its_time_is_bounded() {
        let check = |program: &str, minutes: i64| {
            let mut settings = Settings::default();
            settings.set("command", Setting::Texts(vec![program.to_owned()]));
            settings.set("timeout", Setting::Duration(minutes * 60_000));
            check(&settings)
        };
        assert_eq!(check("./weight", 10), Ok(()));
        assert!(check("./weight", 11).is_err() && check(" ", 1).is_err());
    }

    #[test]
    fn it_is_run_with_its_words_and_limits() {
        let mut settings = Settings::default();
        settings.set("command", Setting::Texts(vec!["./weight".to_owned(), "--today".to_owned()]));
        let program = program(&settings);
        assert_eq!(program.words, ["./weight", "--today"]);
        assert_eq!((program.time_ms_max, program.bytes_max), (30_000, 8_388_608));
    }
}
