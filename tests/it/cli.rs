//! The program as a user starts it.

use std::process::Stdio;

use crate::support::{Ran, golden, program, root, verger, verger_in};

#[test]
fn version_names_the_program() {
    let expected = Ran {
        code: 0,
        stdout: concat!("verger ", env!("CARGO_PKG_VERSION"), "\n").to_owned(),
        stderr: String::new(),
    };
    assert_eq!(verger(&["--version"]), expected);
    // Input that nobody reads is no trouble.
    assert_eq!(verger_in(root(), &["--version"], &"x\n".repeat(100_000)), expected);
}

#[test]
fn help_lists_the_commands() {
    let Ran { code, stdout, stderr } = verger(&["--help"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    golden("help/verger.txt", &stdout);
    for command in verger::cli::commands() {
        let Ran { code, stdout, stderr } = verger(&[command.name, "--help"]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        golden(&format!("help/{}.txt", command.name), &stdout);
    }
}

#[test]
fn nothing_and_nonsense_are_usage_errors() {
    for args in [&[][..], &["nonsense"], &["man", "--nonsense"]] {
        let Ran { code, stdout, stderr } = verger(args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}");
        assert!(!stderr.is_empty() && !stderr.contains('\u{1b}'), "{stderr}");
    }
}

#[test]
fn an_empty_home_variable_is_none() {
    let output = program(root()).env("VERGER_HOME", "").arg("man").output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &[][..]));
}

/// What is found comes in the order of the files.
#[test]
fn a_large_set_is_read_in_the_order_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let padding = "# a comment that makes the file large\n".repeat(1000);
    for file in 0..12 {
        let text = format!("{padding}list l{file} = \n");
        std::fs::write(folder.path().join(format!("f{file:02}.rule")), text).unwrap();
    }
    let Ran { code, stdout, .. } = verger_in(folder.path(), &["lint", "--format", "json", "."], "");
    assert_eq!(code, 1);
    let files: Vec<String> = stdout
        .lines()
        .map(|line| {
            let finding: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(finding["line"], 1001);
            finding["file"].as_str().unwrap().to_owned()
        })
        .collect();
    let expected: Vec<String> = (0..12).map(|file| format!("./f{file:02}.rule")).collect();
    assert_eq!(files, expected);
}

#[test]
fn global_flags_may_stand_before_or_behind_the_command() {
    let page = verger(&["man"]);
    assert_eq!(page.code, 0);
    assert_eq!(verger(&["--quiet", "--home", "away", "man"]), page);
    assert_eq!(verger(&["man", "-q", "--home=away"]), page);
}

#[cfg(unix)]
#[test]
fn printing_to_a_closed_pipe_ends_quietly() {
    let mut child = program(root())
        .args(["completions", "bash"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    // Either it had printed all before the pipe was closed or it noticed; both are no error.
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &[][..]));
}
