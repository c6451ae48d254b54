//! Helpers: run the program, compare with a golden file.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a run of the program left.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    /// Exit code; -1 after a signal.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

/// The program in a folder, with nothing of this machine's settings.
pub(crate) fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verger"));
    for variable in ["VERGER_HOME", "VERGER_DATA", "NOTIFY_SOCKET", "NO_COLOR", "COLUMNS"] {
        command.env_remove(variable);
    }
    command.current_dir(folder).env("TERM", "xterm");
    command
}

/// Runs the program in a folder on an input.
pub(crate) fn verger_in(folder: &Path, args: &[&str], stdin: &str) -> Ran {
    let mut command = program(folder);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let text = stdin.to_owned();
    // Beside the reading, since both pipes may fill up; the program need not read to the end.
    let writer = std::thread::spawn(move || drop(input.write_all(text.as_bytes())));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the input is written");
    let text = |bytes| String::from_utf8(bytes).expect("the program prints UTF-8");
    Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs the program in the project's folder.
pub(crate) fn verger(args: &[&str]) -> Ran {
    verger_in(root(), args, "")
}

/// Compares with `tests/golden/NAME`; `UPDATE_EXPECT=1` writes it instead.
pub(crate) fn golden(name: &str, got: &str) {
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    if let Err(difference) = compare(&root().join("tests/golden").join(name), got, update) {
        panic!("{name}: {difference}\nUPDATE_EXPECT=1 cargo test takes over what was got");
    }
}

fn compare(path: &PathBuf, got: &str, update: bool) -> Result<(), String> {
    let expected = fs::read_to_string(path).ok();
    if expected.as_deref() == Some(got) {
        return Ok(());
    }
    if update {
        let folder = path.parent().ok_or("has no folder")?;
        fs::create_dir_all(folder).and_then(|()| fs::write(path, got)).map_err(|error| error.to_string())?;
        return Ok(());
    }
    let Some(expected) = expected else {
        return Err(format!("there is no such file; got:\n{got}"));
    };
    let line = expected.lines().zip(got.lines()).take_while(|(old, new)| old == new).count();
    let at = |text: &str| text.lines().nth(line).map_or("(the end)".to_owned(), str::to_owned);
    Err(format!(
        "differs from line {} on\nexpected: {}\n     got: {}\nall that was got:\n{got}",
        line + 1,
        at(&expected),
        at(got)
    ))
}

#[test]
fn a_golden_file_is_compared_and_written_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b.txt");
    assert!(compare(&path, "one\n", false).unwrap_err().starts_with("there is no such file"));
    compare(&path, "one\ntwo\n", true).unwrap();
    compare(&path, "one\ntwo\n", false).unwrap();
    let difference = compare(&path, "one\nthree\n", false).unwrap_err();
    assert!(
        difference.starts_with("differs from line 2 on\nexpected: two\n     got: three\n"),
        "{difference}"
    );
    assert!(compare(&path, "one\n", false).unwrap_err().contains("got: (the end)"));
}
