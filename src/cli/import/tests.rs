//! Files to day files.

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
    let names = ["2026-09-26.apple-health.jsonl", "2026-09-26.ics-my-work.jsonl"];
    assert_eq!(listing(Path::new(&out)), names);
    let read = |name: &str| std::fs::read_to_string(Path::new(&out).join(name)).unwrap();
    assert_eq!(
        read(names[0]),
        "{\"at\":\"2026-09-26T07:00:00-04:00\",\"signal\":\"health.steps\",\"value\":812}\n"
    );
    assert!(
        read(names[1])
            .starts_with("{\"at\":\"2026-09-26T00:00:00-04:00\",\"event\":\"calendar.event\",\"id\":\"e1\"")
    );
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
