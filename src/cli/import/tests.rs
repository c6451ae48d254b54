//! Files to day files.

use std::path::Path;

use super::*;
use std::io::Write as _;

use clap::Parser;

#[derive(Debug, Parser)]
struct Cli {
    #[command(flatten)]
    import: ImportArgs,
}

fn import(args: &[&str]) -> anyhow::Result<Exit> {
    run(&Cli::try_parse_from([&["verger"], args].concat())?.import).map(|_| Exit::Fine)
}

fn listing(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const XML: &str = "<HealthData><Record type=\"HKQuantityTypeIdentifierStepCount\" sourceName=\"Watch\" unit=\"count\" \
    startDate=\"2026-09-26 06:00:00 -0400\" endDate=\"2026-09-26 07:00:00 -0400\" value=\"812\"/></HealthData>";
const ICS: &str = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:e1\nSUMMARY:Final exam\nDTSTART:20260926T180000Z\n\
    DTEND:20260926T200000Z\nEND:VEVENT\nEND:VCALENDAR\n";

#[test]
fn kinds_share_a_folder_and_replace_their_own_days() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let out = path("days");
    std::fs::write(path("export.xml"), XML).unwrap();
    std::fs::write(path("my work.ics"), ICS).unwrap();
    import(&["apple-health", &path("export.xml"), "-o", &out]).unwrap();
    let ics = ["ics", &path("my work.ics"), "--from", "2026-09-26", "--to", "2026-09-26"];
    import(&[&ics[..], &["--zone", "America/Toronto", "-o", &out]].concat()).unwrap();
    let names = ["2026-09-26.apple-health.jsonl", "2026-09-26.ics-my-work-a73eaf5f.jsonl"];
    assert_eq!(listing(Path::new(&out)), names);
    let read = |name: &str| std::fs::read_to_string(Path::new(&out).join(name)).unwrap();
    let steps = "{\"at\":\"2026-09-26T07:00:00-04:00\",\"signal\":\"health.steps\",\"value\":812}\n";
    assert!(read(names[0]).contains(steps));
    let at = "{\"at\":\"2026-09-26T00:00:00-04:00\",";
    let read_calendar = format!("{at}\"signal\":\"source.calendar\",\"value\":true}}\n");
    let exam = format!("{at}\"event\":\"calendar.event\",\"id\":\"e1\"");
    assert!(read(names[1]).starts_with(&format!("{read_calendar}{exam}")));
    std::fs::write(path("export.xml"), XML.replace("812", "900")).unwrap();
    import(&["apple-health", &path("export.xml"), "-o", &out]).unwrap();
    assert!(read(names[0]).contains(":900}"));
    assert_eq!(listing(Path::new(&out)), names);
}

#[test]
fn an_archive_is_known_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("health-data");
    let mut writer = zip::ZipWriter::new(std::fs::File::create(&file).unwrap());
    writer.start_file("apple_health_export/export.xml", zip::write::SimpleFileOptions::default()).unwrap();
    writer.write_all(XML.as_bytes()).unwrap();
    writer.finish().unwrap();
    let out = folder.path().join("days");
    import(&["apple-health", file.to_str().unwrap(), "-o", out.to_str().unwrap()]).unwrap();
    assert_eq!(listing(&out), ["2026-09-26.apple-health.jsonl"]);
}

#[test]
fn errors_name_the_file_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let out = path("days");
    std::fs::write(path("cut.json"), "{\"data\": {}").unwrap();
    let message = |args: &[&str]| format!("{:#}", import(args).unwrap_err());
    let cut = message(&["health-auto-export", &path("cut.json"), "-o", &out]);
    assert!(cut.contains("cut.json`: the file ends in the middle, at line 1"), "{cut}");
    let absent = message(&["apple-health", &path("none.zip"), "-o", &out]);
    assert!(absent.contains("none.zip`"), "{absent}");
    let no_file = message(&["apple-health", folder.path().to_str().unwrap(), "-o", &out]);
    assert!(no_file.contains("a folder was found"), "{no_file}");
    let zone = message(&["apple-health", &path("cut.json"), "-o", &out, "--zone", "Mars"]);
    assert!(zone.contains("expected an IANA zone such as"), "{zone}");
    let zone = message(&["apple-health", &path("cut.json"), "-o", &out, "--zone", "Toronto"]);
    assert!(zone.contains("did you mean `America/Toronto`?"), "{zone}");
    assert!(!Path::new(&out).exists());
}

/// Standard output and standard error of the whole program.
fn said(words: &[&str]) -> (u8, String, String) {
    let (mut out, mut err, mut input) = (Vec::new(), Vec::new(), std::io::empty());
    let words = std::iter::once("verger").chain(words.iter().copied()).map(std::ffi::OsString::from);
    let code = crate::cli::run(words, &mut crate::cli::output::Console::new(&mut input, &mut out, &mut err));
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

/// The notes of the shipped rule about silence, of a replay of an import.
fn silence(days: &Path) -> Vec<String> {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/rules");
    let days = days.to_str().unwrap();
    let (code, out, err) = said(&["dry-run", days, "--rules", rules, "--rule", "silent-health", "--json"]);
    assert_eq!(code, 0, "{err}");
    let line = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| line[key].as_str().unwrap_or("").to_owned();
        format!("{} {} {}", text("at"), text("outcome"), text("text"))
    };
    out.lines().map(line).collect()
}

/// An export with a night's end at seven on each of these dates, and nothing else.
fn nights(dates: &[&str]) -> String {
    let night = |date: &&str| {
        format!(
            "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" startDate=\"{date} 00:10:00 -0400\" \
             endDate=\"{date} 07:00:00 -0400\" value=\"HKCategoryValueSleepAnalysisAsleepCore\"/>"
        )
    };
    format!("<HealthData>{}</HealthData>", dates.iter().map(night).collect::<String>())
}

#[test]
fn a_replay_knows_silence_from_data_once_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("export.xml"), folder.path().join("days"));
    let import_nights = |dates: &[&str]| {
        std::fs::write(&file, nights(dates)).unwrap();
        import(&["apple-health", file.to_str().unwrap(), "-o", out.to_str().unwrap()]).unwrap();
    };
    import_nights(&["2026-09-21", "2026-09-22", "2026-09-23", "2026-09-24"]);
    assert_eq!(silence(&out), Vec::<String>::new());
    import_nights(&["2026-09-21", "2026-09-24", "2026-09-25"]);
    assert_eq!(
        silence(&out),
        [
            "2026-09-22T06:00:00-04:00 kept No health data for 12h or more.",
            "2026-09-22T07:00:00-04:00 delivered No health data for 12h or more.",
        ]
    );
}

#[test]
fn an_oracle_export_is_not_silent() {
    let Some(root) = crate::oracles::folder("silence after an import") else { return };
    let file = root.join("health/apple/export_small_alxdrcirilo_MIT.xml");
    let folder = tempfile::tempdir().unwrap();
    import(&["apple-health", file.to_str().unwrap(), "-o", folder.path().to_str().unwrap()]).unwrap();
    assert_eq!(silence(folder.path()), Vec::<String>::new());
}

#[test]
fn days_that_an_import_no_longer_speaks_of_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let out = path("days");
    let import_ics = |file: &str, from: &str, to: &str| {
        import(&["ics", &path(file), "--from", from, "--to", to, "--zone", "UTC", "-o", &out])
    };
    for file in ["work.ics", "work2.ics"] {
        std::fs::write(path(file), ICS).unwrap();
        import_ics(file, "2026-09-25", "2026-09-26").unwrap();
    }
    // Neither another import's, nor what only looks like it.
    let others = [
        "2026-09-25.ics-work2.jsonl",
        "2026-09-25.ics-work.jsonl.bak",
        "9-25.ics-work.jsonl",
        "ics-work.jsonl",
    ];
    for other in &others[1..] {
        std::fs::write(Path::new(&out).join(other), "mine").unwrap();
    }
    import_ics("work.ics", "2026-09-26", "2026-09-27").unwrap();
    let mut wanted = [&others[..], &["2026-09-26.ics-work.jsonl"]].concat();
    wanted.sort_unstable();
    assert_eq!(listing(Path::new(&out)), wanted);
    // A calendar without its events is still a calendar that was read.
    std::fs::write(path("work.ics"), "BEGIN:VCALENDAR\nEND:VCALENDAR\n").unwrap();
    let (written, notes) = run(&Cli::try_parse_from([
        "verger",
        "ics",
        &path("work.ics"),
        "--from",
        "2026-09-24",
        "--to",
        "2026-09-27",
        "--zone",
        "UTC",
        "-o",
        &out,
    ])
    .unwrap()
    .import)
    .unwrap();
    assert_eq!(notes, ["no event lies between 2026-09-24 and 2026-09-27; the file holds 0"]);
    assert!(written.to_string().ends_with("; 1 day file of before removed"), "{written}");
    wanted.retain(|name| *name != "2026-09-26.ics-work.jsonl");
    wanted.insert(0, "2026-09-24.ics-work.jsonl");
    assert_eq!(listing(Path::new(&out)), wanted);
}

#[test]
fn a_file_that_is_not_the_imports_own_is_neither_replaced_nor_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("export.xml"), XML).unwrap();
    let again = || import(&["apple-health", &path("export.xml"), "-o", &path("days")]);
    again().unwrap();
    let day = Path::new(&path("days")).join("2026-09-26.apple-health.jsonl");
    let own = std::fs::read_to_string(&day).unwrap();
    for line in ["{\"at\":\"2026-09-26T08:00:00-04:00\",\"tick\":true}", "notes of mine", ""] {
        std::fs::write(&day, format!("{own}{line}\n")).unwrap();
        let refused = again().unwrap_err().to_string();
        assert!(refused.contains("its line 6 is none that `import apple-health` writes"), "{refused}");
        assert_eq!(std::fs::read_to_string(&day).unwrap(), format!("{own}{line}\n"));
    }
    std::fs::remove_file(&day).unwrap();
    std::fs::create_dir(&day).unwrap();
    let refused = again().unwrap_err().to_string();
    assert!(refused.contains("is no file that `import` wrote"), "{refused}");
    std::fs::remove_dir(&day).unwrap();
    again().unwrap();
    // An export without anything of ours is more likely the wrong file than an empty life.
    std::fs::write(path("export.xml"), "<HealthData></HealthData>").unwrap();
    let (code, out, _) = said(&["import", "apple-health", &path("export.xml"), "-o", &path("days")]);
    assert_eq!(code, 0);
    assert!(out.starts_with("Nothing to import") && out.ends_with("1 day file of before stayed\n"), "{out}");
    assert_eq!(std::fs::read_to_string(&day).unwrap(), own);
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("export.xml"), XML).unwrap();
    std::fs::write(path("diary"), "dear diary").unwrap();
    std::fs::create_dir(path("days")).unwrap();
    let again = || import(&["apple-health", &path("export.xml"), "-o", &path("days")]);
    symlink(path("diary"), path("days/.2026-09-26.apple-health.part")).unwrap();
    again().unwrap();
    std::fs::remove_file(path("days/2026-09-26.apple-health.jsonl")).unwrap();
    symlink(path("diary"), path("days/2026-09-26.apple-health.jsonl")).unwrap();
    assert!(again().unwrap_err().to_string().contains("is no file that `import` wrote"));
    assert_eq!(std::fs::read_to_string(path("diary")).unwrap(), "dear diary");
    let device = import(&["apple-health", "/dev/null", "-o", &path("days")]).unwrap_err().to_string();
    assert_eq!(device, "`/dev/null`: a pipe or device was found, expected a file");
}

#[test]
fn two_files_never_share_their_days() {
    let suffix = |file: &str| DayFiles::suffix(&crate::connectors::ics::KIND, Some(Path::new(file)));
    assert_eq!(suffix("a/my-work.ics"), "ics-my-work");
    assert_eq!(suffix("勉強.ics"), "ics-勉強");
    let [long, longer] = [61, 62].map(|count| "x".repeat(count));
    let names = ["my work", "my.work", "my-work", "..", "a\u{1b}[2J", &long, &longer].map(suffix);
    let distinct: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
    assert!(names.iter().all(|name| !name.contains(['.', '/', ' ', '\u{1b}'])), "{names:?}");
}

#[test]
fn what_was_left_out_is_said_beside_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let weight = "{\"data\":{\"metrics\":[{\"name\":\"weight_body_mass\",\"units\":\"kg\",\"data\":[{\"qty\":70},{\"qty\":71}]}]}}";
    std::fs::write(path("w.json"), weight).unwrap();
    let (code, out, err) = said(&["import", "health-auto-export", &path("w.json"), "-o", &path("days")]);
    assert!(code == 0 && out.starts_with("Nothing to import"), "{out}");
    assert_eq!(err, format!("note: `{}`: left out: 2 of weight_body_mass\n", path("w.json")));
    let secondly = |n| {
        format!(
            "BEGIN:VEVENT\nUID:{n}\nSUMMARY:\u{1b}[2J {n}\nDTSTART:20260926T180000Z\nRRULE:FREQ=SECONDLY\nEND:VEVENT\n"
        )
    };
    let events: String = (0..30).map(secondly).collect();
    std::fs::write(path("c.ics"), format!("BEGIN:VCALENDAR\n{events}END:VCALENDAR\n")).unwrap();
    let ics = [
        "import",
        "ics",
        &path("c.ics"),
        "--from",
        "2026-09-26",
        "--to",
        "2026-09-26",
        "--zone",
        "UTC",
        "-o",
        &path("days"),
    ];
    let (_, _, err) = said(&ics);
    assert_eq!(err.lines().count(), 21, "{err}");
    assert!(err.ends_with("note: and 10 more of the like\n") && !err.contains('\u{1b}'), "{err}");
}

#[test]
fn a_mark_before_the_text_is_skipped_and_utf_16_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let json = "{\"data\":{\"metrics\":[{\"name\":\"step_count\",\"units\":\"count\",\
        \"data\":[{\"qty\":5,\"date\":\"2026-09-26 06:00:00 -0400\"}]}]}}";
    let ics = ["--from", "2026-09-26", "--to", "2026-09-26", "--zone", "UTC"];
    let days = path("days");
    for (kind, text, more) in
        [("apple-health", XML, &[][..]), ("health-auto-export", json, &[]), ("ics", ICS, &ics)]
    {
        let file = path(kind);
        let args = [&[kind, file.as_str()][..], more, &["-o", &days]].concat();
        std::fs::write(&file, format!("\u{feff}{text}")).unwrap();
        import(&args).unwrap();
        let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        std::fs::write(&file, wide).unwrap();
        let refused = format!("{:#}", import(&args).unwrap_err());
        assert!(refused.ends_with("its text is UTF-16, expected UTF-8: save it again as UTF-8"), "{refused}");
    }
    assert_eq!(listing(Path::new(&days)).len(), 3);
}
