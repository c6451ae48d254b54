//! The command line as a whole, and the search for rule files.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

mod answers;
mod hostile;

use super::files::{FilesError, RULE_FILE_BYTES_MAX, find_rules, read_rules};
use super::output::Console;
use super::{Context, commands, run, tree};

/// Code, standard output, standard error.
fn ran(words: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut input = io::empty();
    let words = std::iter::once("verger").chain(words.iter().copied()).map(OsString::from);
    let code = run(words, &mut Console::new(&mut input, &mut out, &mut err));
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn the_command_line_is_well_formed() {
    tree().debug_assert();
    let names: Vec<&str> = commands().map(|command| command.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for command in commands() {
        assert!(!command.about.is_empty() && !command.about.ends_with('.'), "{}", command.name);
        let (code, help, err) = ran(&[command.name, "--help"]);
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(
            help.contains(command.about) && help.contains("--home") && help.contains("--quiet"),
            "{help}"
        );
    }
}

#[test]
fn usage_mistakes_end_with_two() {
    for words in [&["nonsense"][..], &["completions", "tcsh"], &["--json"], &["man", "nonsense"], &[]] {
        let (code, out, err) = ran(words);
        assert_eq!((code, out.as_str()), (2, ""), "{words:?}");
        assert!(err.contains("Usage") || err.contains("error:"), "{err}");
    }
}

#[test]
fn a_near_command_is_offered() {
    let (_, _, err) = ran(&["completion"]);
    assert!(err.contains("'completions'"), "{err}");
}

#[test]
fn the_manual_and_the_completions_know_every_command() {
    let (code, page, _) = ran(&["man"]);
    assert_eq!(code, 0);
    let (_, script, _) = ran(&["completions", "bash"]);
    for command in commands() {
        assert!(page.contains(&format!("verger\\-{}(1)", command.name.replace('-', "\\-"))), "{page}");
        assert!(script.contains(command.name));
        let (code, own, _) = ran(&["man", command.name]);
        assert_eq!(code, 0);
        assert!(own.contains(&command.about.replace('-', "\\-")) && own.contains("\\-\\-home"), "{own}");
        assert!(own.contains("EXIT STATUS") && own.contains("VERGER_HOME"), "{own}");
    }
}

#[test]
fn every_page_that_a_page_names_can_be_printed() {
    let (_, page, _) = ran(&["man", "import"]);
    for part in ["apple-health", "health-auto-export", "ics"] {
        let name = format!("verger-import-{part}").replace('-', "\\-");
        assert!(page.contains(&format!("{name}(1)")), "{page}");
        let (code, own, _) = ran(&["man", "import", part]);
        assert!(code == 0 && own.contains(&name) && own.contains("\\-\\-output"), "{own}");
    }
    let (code, out, err) = ran(&["man", "import", "ical"]);
    assert_eq!((code, out.as_str()), (2, ""));
    let parts = "expected `apple-health`, `health-auto-export`, `ics`";
    assert_eq!(err, format!("error: `import` has no part `ical`, {parts}\n"));
    let (code, _, err) = ran(&["man", "lint", "ics"]);
    assert_eq!((code, err.as_str()), (2, "error: `ics` was found, and `lint` has no parts\n"));
}

/// A stream whose reader is gone.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A full disk.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_quiet_and_a_full_disk_is_not() {
    let on = |out: &mut dyn Write| {
        let (mut input, mut err) = (io::empty(), Vec::new());
        let words = ["verger", "man"].map(OsString::from);
        let code = run(words, &mut Console::new(&mut input, out, &mut err));
        (code, String::from_utf8(err).unwrap())
    };
    assert_eq!(on(&mut Closed), (0, String::new()));
    let (code, err) = on(&mut Full);
    assert_eq!(code, 2);
    assert!(err.starts_with("error: "), "{err}");
}

#[test]
fn only_defaults_lie_in_the_working_folder() {
    let (mut input, mut out, mut err) = (io::empty(), Vec::new(), Vec::new());
    let mut console = Console::new(&mut input, &mut out, &mut err);
    let written = [PathBuf::from("mine")];
    let away = Context { home: Some(PathBuf::from("away")), console: &mut console };
    assert_eq!(away.paths_or(&[], "rules"), [Path::new("away").join("rules")]);
    assert_eq!(away.paths_or(&written, "rules"), written);
    let here = Context { home: None, console: &mut console };
    assert_eq!(here.default_path("rules"), Path::new("rules"));
}

#[test]
fn notes_are_left_out_when_quiet() {
    let (mut input, mut out, mut err) = (io::empty(), Vec::new(), Vec::new());
    let mut console = Console::new(&mut input, &mut out, &mut err);
    console.note("one").unwrap();
    console.set_quiet(true);
    console.note("two").unwrap();
    console.line("result").unwrap();
    assert_eq!((out, err), (b"result\n".to_vec(), b"one\n".to_vec()));
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn found(folder: &Path, paths: &[&str]) -> Vec<String> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| folder.join(path)).collect();
    let relative = |path: &PathBuf| path.strip_prefix(folder).unwrap().display().to_string();
    find_rules(&paths).unwrap().iter().map(relative).collect()
}

#[test]
fn rule_files_are_found_sorted_and_once() {
    let folder = folder(&[
        ("rules/b.rule", b""),
        ("rules/a/z.rule", b""),
        ("rules/notes.md", b""),
        ("rules/.git/c.rule", b""),
        ("rules/.#b.rule", b""),
        ("other.rule", b""),
    ]);
    let all = ["other.rule", "rules/a/z.rule", "rules/b.rule"];
    assert_eq!(found(folder.path(), &[""]), all);
    assert_eq!(found(folder.path(), &["rules/b.rule", "rules", "other.rule", "rules/a"]), all);
}

#[cfg(unix)]
#[test]
fn links_that_lead_back_end_and_dead_ones_are_named() {
    let folder = folder(&[("rules/a.rule", b""), ("rules/sub/b.rule", b"")]);
    let rules = folder.path().join("rules");
    std::os::unix::fs::symlink(&rules, rules.join("sub/back")).unwrap();
    std::os::unix::fs::symlink(rules.join("a.rule"), rules.join("same.rule")).unwrap();
    assert_eq!(found(folder.path(), &["rules"]), ["rules/a.rule", "rules/sub/b.rule"]);
    std::os::unix::fs::symlink("nowhere", rules.join("dead.rule")).unwrap();
    let error = find_rules(&[rules]).unwrap_err().to_string();
    assert!(error.contains("dead.rule` cannot be read: "), "{error}");
}

#[cfg(unix)]
#[test]
fn a_socket_is_no_rule_file() {
    let folder = folder(&[]);
    let _socket = std::os::unix::net::UnixDatagram::bind(folder.path().join("s.rule")).unwrap();
    let error = find_rules(&[folder.path().to_owned()]).unwrap_err();
    assert!(matches!(error, FilesError::Special { .. }), "{error}");
}

#[test]
fn what_cannot_be_read_is_named_with_its_reason() {
    let size = usize::try_from(RULE_FILE_BYTES_MAX).unwrap();
    let folder = folder(&[
        ("latin.rule", b"rule a\n  say \"caf\xe9\"\n"),
        ("fits.rule", &vec![b'#'; size]),
        ("large.rule", &vec![b'#'; size + 1]),
        ("notes.txt", b""),
        ("empty/readme", b""),
    ]);
    let said = |path: &str| {
        let path = folder.path().join(path);
        let shown = path.display().to_string();
        read_rules(&[path]).map_err(|error| error.to_string().replace(&shown, "PATH"))
    };
    assert_eq!(
        said("latin.rule").unwrap_err(),
        "`PATH` is not UTF-8 text: byte 17 (line 2) fits no character"
    );
    assert!(said("large.rule").unwrap_err().starts_with("`PATH` is larger than 1048576 bytes"));
    assert_eq!(said("fits.rule").unwrap().iter().count(), 1);
    assert!(said("notes.txt").unwrap_err().starts_with("`PATH` is no rule file: expected"));
    assert_eq!(said("empty").unwrap_err(), "no `.rule` file under `PATH`");
    assert!(said("absent").unwrap_err().starts_with("`PATH` cannot be read: "));
    assert!(said("fits.rule/under").unwrap_err().starts_with("`PATH` cannot be read: "));
}

/// A pipe that nobody writes into: opening it would wait for ever.
#[cfg(unix)]
fn pipe(path: &Path) {
    let done = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(done.success());
}

const FUNCTION: &str = "function f (a number) -> number from \"lib/f.rhai\"\n";

#[cfg(unix)]
#[test]
fn scripts_that_no_rule_names_are_left_alone() {
    let folder = folder(&[
        ("rules/a.rule", FUNCTION.as_bytes()),
        ("rules/lib/f.rhai", b"fn f(a) { a }"),
        ("rules/lib/other.rhai", b"\xff\xff"),
        ("rules/lib/large.rhai", &vec![b' '; usize::try_from(RULE_FILE_BYTES_MAX).unwrap() + 1]),
        ("rules/.git/x.rhai", b"\xff\xff"),
    ]);
    let rules = folder.path().join("rules");
    pipe(&rules.join("b.rhai"));
    std::os::unix::fs::symlink("nowhere", rules.join("dead.rhai")).unwrap();
    let rules = rules.display().to_string();
    assert_eq!(ran(&["lint", &rules]).0, 0, "{:?}", ran(&["lint", &rules]));
    // One that is named is read, and what is wrong with it is said.
    for (name, make) in [("f", "pipe"), ("f", "bytes"), ("f", "dead"), ("g", "absent")] {
        let script = folder.path().join("rules/lib/f.rhai");
        fs::remove_file(&script).unwrap();
        match make {
            "pipe" => pipe(&script),
            "bytes" => fs::write(&script, b"\xff").unwrap(),
            "dead" => std::os::unix::fs::symlink("nowhere", &script).unwrap(),
            _ => fs::write(&script, b"fn f(a) { a }").unwrap(),
        }
        let text = FUNCTION.replace("lib/f", &format!("lib/{name}"));
        fs::write(folder.path().join("rules/a.rule"), text).unwrap();
        let (code, out, err) = ran(&["lint", &rules]);
        assert!(
            code > 0 && format!("{out}{err}").contains(&format!("lib/{name}.rhai")),
            "{make}: {out}{err}"
        );
    }
    assert!(ran(&["lint", &rules]).1.contains("did you mean `lib/f.rhai`?"), "{}", ran(&["lint", &rules]).1);
}

#[test]
fn a_flood_of_findings_is_cut() {
    let many: Vec<(String, Vec<u8>)> =
        (0..30).map(|file| (format!("{file}.rule"), b"x\n".repeat(60))).collect();
    let files: Vec<(&str, &[u8])> =
        many.iter().map(|(name, text)| (name.as_str(), text.as_slice())).collect();
    let folder = folder(&files);
    let path = folder.path().display().to_string();
    let (code, out, err) = ran(&["lint", &path]);
    assert_eq!((code, out.matches("error[").count()), (1, 1000));
    assert_eq!(err, "and 800 more findings\n0 rules, 1800 errors, 0 warnings\n");
    assert_eq!(ran(&["lint", &path, "--format", "github"]).1.lines().count(), 1000);
    assert_eq!(ran(&["lint", &path, "--format", "json"]).1.lines().count(), 1800);
}

#[test]
fn a_cycle_of_many_rules_is_named_briefly() {
    let mut text = "zone home = \"UTC\"\n".to_owned();
    for rule in 0..600 {
        let next = (rule + 1) % 600;
        text.push_str(&format!("rule r{rule} \"R\"\n  when r{next} fired today\n  then note\n  say \"x\"\n"));
    }
    let folder = folder(&[("a.rule", text.as_bytes())]);
    let (code, out, _) = ran(&["lint", &folder.path().display().to_string(), "--format", "json"]);
    let message = out.lines().find(|line| line.contains("a cycle")).unwrap();
    assert!(code == 1 && message.len() < 600 && message.contains("… and 592 more"), "{message}");
}
