//! Speed and peak memory of whole commands, as their user sees them: `cargo bench --bench programs [WORD…]`.
//!
//! Inputs are made up under a fixed seed into a temporary folder (some 3 GB), each command runs a few times,
//! and the least wall time with its processor time and the greatest peak memory are printed. With words, only
//! the rows whose name holds one of them. The aims stand in `docs/performance.md`.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "runs programs and writes their inputs")]

#[path = "support/apple_export.rs"]
mod apple_export;
#[path = "support/texts.rs"]
mod texts;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use texts::{CALM, MINUTE, START, WAVERING, minute_values, ten_thousand_rules, twenty_rules};
use wait4::Wait4;

/// Runs of each command.
const RUNS: u32 = 3;
const MINUTES_OF_TEN_YEARS: i64 = 5_256_000;
const EXPORT_BYTES: u64 = 2_000_000_000;

/// A command with what it needs.
struct Row {
    name: &'static str,
    /// Makes the inputs in a folder and says the arguments, run in that folder.
    prepare: fn(&Path) -> anyhow::Result<Vec<String>>,
}

const ROWS: [Row; 7] = [
    Row { name: "version", prepare: |_| Ok(vec!["--version".into()]) },
    Row { name: "lint shipped rules", prepare: |_| Ok(vec!["lint".into(), shipped("rules")]) },
    Row { name: "lint 10,000 rules", prepare: lint },
    Row { name: "dry-run example days", prepare: example },
    Row { name: "dry-run ten years of minutes, 20 rules", prepare: |folder| minutes(folder, CALM) },
    Row { name: "the same, rules that waver", prepare: |folder| minutes(folder, WAVERING) },
    Row { name: "import 2 GB of Apple Health XML", prepare: export },
];

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    println!("{:<42} {:>9} {:>9} {:>9}", "", "wall ms", "cpu ms", "peak MiB");
    for row in ROWS.iter().filter(|row| words.is_empty() || words.iter().any(|word| row.name.contains(word)))
    {
        let folder = tempfile::tempdir()?;
        let arguments = (row.prepare)(folder.path()).context(row.name)?;
        let mut least: Option<(Duration, Duration)> = None;
        let mut peak = 0;
        for _ in 0..RUNS {
            let (wall, cpu, bytes) = run(&arguments, folder.path()).context(row.name)?;
            peak = peak.max(bytes);
            if least.is_none_or(|(known, _)| wall < known) {
                least = Some((wall, cpu));
            }
        }
        let (wall, cpu) = least.unwrap_or_default();
        let ms = |time: Duration| time.as_micros() / 100;
        let tenths = |tenths: u128| format!("{}.{}", tenths / 10, tenths % 10);
        println!(
            "{:<42} {:>9} {:>9} {:>9}",
            row.name,
            tenths(ms(wall)),
            tenths(ms(cpu)),
            peak.div_ceil(1 << 20)
        );
    }
    Ok(())
}

/// One run: wall time, processor time, peak memory in bytes.
fn run(arguments: &[String], folder: &Path) -> anyhow::Result<(Duration, Duration, u64)> {
    let begun = Instant::now();
    let child = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()?;
    let used = child.wait4()?;
    let wall = begun.elapsed();
    ensure!(used.status.success(), "{arguments:?}: {}", used.status);
    Ok((wall, used.rusage.utime + used.rusage.stime, used.rusage.maxrss))
}

fn shipped(path: &str) -> String {
    format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))
}

fn lint(folder: &Path) -> anyhow::Result<Vec<String>> {
    fs::create_dir(folder.join("rules"))?;
    for (place, text) in ten_thousand_rules().iter().enumerate() {
        fs::write(folder.join(format!("rules/{place}.rule")), text)?;
    }
    Ok(vec!["lint".into()])
}

fn example(_: &Path) -> anyhow::Result<Vec<String>> {
    Ok(vec!["dry-run".into(), shipped("examples/days"), "--rules".into(), shipped("rules")])
}

/// One file of ten years of minutes in time order.
fn minutes(folder: &Path, lowest: usize) -> anyhow::Result<Vec<String>> {
    fs::create_dir(folder.join("rules"))?;
    fs::write(folder.join("rules/a.rule"), twenty_rules(lowest))?;
    let mut out = BufWriter::new(File::create(folder.join("days.jsonl"))?);
    let mut written = 0;
    for (minute, value) in (0..MINUTES_OF_TEN_YEARS).zip(minute_values()) {
        let at = chrono::DateTime::from_timestamp_millis(START + minute * MINUTE).unwrap_or_default();
        let at = at.format("%Y-%m-%dT%H:%M:%S+00:00");
        let (whole, tenth) = (value / 10, value % 10);
        writeln!(out, "{{\"at\":\"{at}\",\"signal\":\"health.heart\",\"value\":{whole}.{tenth}}}")?;
        written += 1;
    }
    out.flush()?;
    ensure!(written == MINUTES_OF_TEN_YEARS, "{written} lines");
    Ok(["dry-run", "days.jsonl", "--json"].map(String::from).to_vec())
}

fn export(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(folder.join("export.xml"))?);
    apple_export::write(&mut out, EXPORT_BYTES)?;
    out.flush()?;
    Ok(["import", "apple-health", "export.xml", "--output", "days"].map(String::from).to_vec())
}
