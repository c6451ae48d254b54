//! Filings of a real file, and reads against a script of a server.

use super::accepted::{Clock, Written as Times, usual};
use chrono::{DateTime, Utc};

use super::*;
use crate::config::{Setting, Written};
use crate::connectors::source::script::Script;
use crate::connectors::source::{Failure, HttpReply, Memory, Reading, Validators};
use crate::oracles;

const TESLA: i64 = 1_318_605;

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn plain(text: &str) -> Setting {
    Setting::Text(Written::Plain(text.to_owned()))
}

fn settings(companies: &[(&str, i64)]) -> Settings {
    let table = |(name, cik): &(&str, i64)| {
        let mut table = Settings::default();
        table.set("name", plain(name));
        table.set("cik", Setting::Number(*cik));
        table
    };
    let mut settings = Settings::default();
    settings.set("companies", Setting::Tables(companies.iter().map(table).collect()));
    settings.set("contact", plain("ann@example.org"));
    settings
}

/// A filing: accession, filed, accepted, form, items, document.
type Row<'r> = [&'r str; 6];

fn submissions(cik: i64, rows: &[Row<'_>]) -> String {
    let column = |index: usize| rows.iter().map(|row| row[index]).collect::<Vec<_>>();
    serde_json::json!({
        "cik": cik.to_string(),
        "filings": {"recent": {
            "accessionNumber": column(0), "filingDate": column(1), "acceptanceDateTime": column(2),
            "form": column(3), "items": column(4), "primaryDocument": column(5),
        }, "files": []},
    })
    .to_string()
}

const ROW: Row<'_> =
    ["0000000001-26-000001", "2026-09-25", "2026-09-25T16:15:27.000Z", "8-K", "5.02,9.01", "a.htm"];

fn reply(status: u16, body: &str) -> HttpReply {
    HttpReply { status, body: body.as_bytes().to_vec(), ..HttpReply::default() }
}

/// A read of some companies with an answer each.
fn read(companies: &[(&str, i64)], replies: &[HttpReply]) -> Result<Reading, Failure> {
    let mut replies = replies.iter();
    let script = Script::with_http(|_| Ok(replies.next().unwrap().clone()));
    script.read(&SOURCE, &settings(companies), &Memory::default())
}

#[test]
fn a_filing_is_a_line_of_the_contract() {
    let mut asked = Vec::new();
    let script = Script::with_http(|request| {
        asked.push((request.url.clone(), request.headers.clone(), request.pause_ms));
        let cik = request.url.rsplit("CIK").next().unwrap().trim_end_matches(".json").parse().unwrap();
        Ok(reply(200, &submissions(cik, if cik == 1 { &[ROW] } else { &[] })))
    });
    let reading = script.read(&SOURCE, &settings(&[("acme", 1), ("bolt", 22)]), &Memory::default()).unwrap();
    assert_eq!(
        reading.lines,
        [
            "{\"at\":\"2026-09-26T08:00:00-04:00\",\"event\":\"news.item\",\"id\":\"edgar:0000000001-26-000001\",\
             \"fields\":{\"company\":\"acme\",\"title\":\"8-K: Departure or election of directors or officers\",\
             \"form\":\"8-K\",\"url\":\"https://www.sec.gov/Archives/edgar/data/1/000000000126000001/a.htm\",\
             \"published\":\"2026-09-25T16:15:27-04:00\"}}"
        ]
    );
    assert_eq!(reading.notes, [""; 0]);
    let agent = format!("Verger/{} (ann@example.org)", env!("CARGO_PKG_VERSION"));
    let headers = vec![("User-Agent", agent)];
    assert_eq!(
        asked,
        [
            ("https://data.sec.gov/submissions/CIK0000000001.json".to_owned(), headers.clone(), 0),
            ("https://data.sec.gov/submissions/CIK0000000022.json".to_owned(), headers, 150),
        ]
    );
}

#[test]
fn a_real_file_is_read_whole() {
    let Some(text) = oracles::text("edgar/company_submission_first150.json") else { return };
    let now = utc("2022-12-01T00:00:00Z");
    let (filings, unsound) = filing::read(text.as_bytes(), TESLA, now).unwrap();
    assert_eq!((filings.len(), unsound), (150, 0));
    let recent: serde_json::Value = serde_json::from_str(&text).unwrap();
    let recent = &recent["filings"]["recent"];
    let mut late = 0;
    for (index, filing) in filings.iter().enumerate() {
        let cell = |column: &str| recent[column][index].as_str().unwrap();
        assert_eq!(filing.accession, cell("accessionNumber"));
        assert_eq!(filing.form, cell("form"));
        let folder = filing.accession.replace('-', "");
        let document = cell("primaryDocument");
        assert_eq!(
            filing.url,
            format!("https://www.sec.gov/Archives/edgar/data/{TESLA}/{folder}/{document}")
        );
        // All of this file's values are New York's clock.
        let local = filing.published.with_timezone(&chrono_tz::America::New_York);
        assert_eq!(local.format("%Y-%m-%dT%H:%M:%S.000Z").to_string(), cell("acceptanceDateTime"));
        late += usize::from(local.format("%Y-%m-%d").to_string() != cell("filingDate"));
    }
    assert_eq!(late, 5);
    let titles: Vec<&str> = filings
        .iter()
        .filter(|filing| filing.form == "8-K" || filing.form.starts_with("10-"))
        .map(|filing| filing.title.as_str())
        .take(3)
        .collect();
    assert_eq!(
        titles,
        [
            "10-Q: Quarterly report to 2022-09-30",
            "8-K: Results of operations and financial condition",
            "8-K: Results of operations and financial condition; Regulation FD disclosure",
        ]
    );
}

#[test]
fn of_a_real_file_what_is_young_and_wanted_is_told() {
    let Some(text) = oracles::text("edgar/company_submission_first150.json") else { return };
    let at = |now: &str, forms: &[&str]| {
        let mut settings = settings(&[("tesla", TESLA)]);
        if !forms.is_empty() {
            settings.set("forms", Setting::Texts(forms.iter().map(|form| (*form).to_owned()).collect()));
        }
        let mut script = Script::with_http(|_| Ok(reply(200, &text)));
        script.at = utc(now);
        let lines = script.read(&SOURCE, &settings, &Memory::default()).unwrap().lines;
        let id = |line: &String| {
            let behind = line.split("edgar:").nth(1).unwrap();
            behind.split('"').next().unwrap().to_owned()
        };
        lines.iter().map(id).collect::<Vec<_>>()
    };
    // The file is of 2022-11-30: filings after `now` are in the future, so they count as of now.
    let all = at("2022-12-01T00:00:00Z", &["4"]);
    assert_eq!(all, ["0001790565-22-000015"]);
    assert_eq!(at("2022-12-01T00:00:00Z", &[]), [""; 0]);
    let mut tesla: serde_json::Value = serde_json::from_str(&text).unwrap();
    let recent = tesla["filings"]["recent"].as_object_mut().unwrap();
    for (_, column) in recent.iter_mut() {
        column.as_array_mut().unwrap().retain({
            let mut index = 0;
            move |_| (index += 1, index > 7).1
        });
    }
    let text = tesla.to_string();
    let of = |form: &str, now: &str| {
        let mut settings = settings(&[("tesla", TESLA)]);
        settings.set("forms", Setting::Texts(vec![form.to_owned()]));
        let mut script = Script::with_http(|_| Ok(reply(200, &text)));
        script.at = utc(now);
        script.read(&SOURCE, &settings, &Memory::default()).unwrap().lines.len()
    };
    // Accepted 2022-10-19 17:15:46 in New York.
    assert_eq!(of("8-k", "2022-10-22T21:15:46Z"), 1);
    assert_eq!(of("8-k", "2022-10-22T21:15:47Z"), 0);
}

#[test]
fn times_of_the_report_are_those_of_new_york() {
    let Some(report) = oracles::bug("A17") else { return };
    let values = [&report["input"]["json"], &report["input"]["second"]["json"]];
    let right = report["right"]["true_utc"].as_array().unwrap();
    for (value, right) in values.into_iter().zip(right) {
        let accepted = value.as_str().unwrap();
        let filed = accepted.split('T').next().unwrap().parse().unwrap();
        let row = Times { form: "8-K", filed, accepted };
        let now = utc("2025-06-01T00:00:00Z");
        let clock = usual(std::slice::from_ref(&row), now);
        assert_eq!(row.at(clock, now), Some(utc(right.as_str().unwrap())));
    }
}

#[test]
fn the_filing_date_tells_which_clock_it_was() {
    let now = utc("2026-09-30T00:00:00Z");
    let row = |filed: &str, accepted: &'static str, form: &'static str| Times {
        form,
        filed: filed.parse().unwrap(),
        accepted,
    };
    // After the close in true UTC: as New York's clock it would be the next day's.
    let utc_rows = [
        row("2026-09-24", "2026-09-24T20:10:00.000Z", "8-K"),
        row("2026-09-24", "2026-09-25T01:10:00.000Z", "4"),
        row("2026-09-24", "2026-09-24T11:30:00.000Z", "8-K"),
    ];
    assert_eq!(usual(&utc_rows, now), Clock::Utc);
    assert_eq!(utc_rows[2].at(Clock::Utc, now), Some(utc("2026-09-24T11:30:00Z")));
    // One row of the other kind is read its own way.
    let early = row("2026-09-24", "2026-09-24T06:08:00.000Z", "8-K");
    assert_eq!(early.at(Clock::Utc, now), Some(utc("2026-09-24T10:08:00Z")));
    assert_eq!(utc_rows[0].at(Clock::NewYork, now), Some(utc("2026-09-24T20:10:00Z")));
    // Where both fit, New York's clock; but not when that is still to come.
    let noon = row("2026-09-24", "2026-09-24T12:00:00.000Z", "8-K");
    assert_eq!(usual(std::slice::from_ref(&noon), now), Clock::NewYork);
    assert_eq!(noon.at(Clock::NewYork, now), Some(utc("2026-09-24T16:00:00Z")));
    let soon = utc("2026-09-24T12:01:00Z");
    assert_eq!(noon.at(Clock::NewYork, soon), Some(utc("2026-09-24T12:00:00Z")));
    // An evening's filing is the next business day's; `424B2` is no form 4.
    let evening = row("2026-09-28", "2026-09-25T21:36:59.000Z", "10-Q");
    assert_eq!(evening.at(Clock::NewYork, now), Some(utc("2026-09-26T01:36:59Z")));
    let priced = row("2026-09-24", "2026-09-24T18:00:00.000Z", "424B2");
    assert_eq!(priced.at(Clock::NewYork, now), Some(utc("2026-09-24T18:00:00Z")));
    // No time: the day's first hour, and never the future.
    let none = row("2026-09-24", "", "8-K");
    assert_eq!(none.at(Clock::NewYork, now), Some(utc("2026-09-24T10:00:00Z")));
    assert_eq!(none.at(Clock::NewYork, utc("2026-09-24T09:00:00Z")), Some(utc("2026-09-24T09:00:00Z")));
}

#[test]
fn a_time_that_was_said_stays() {
    let clear = ["0000000001-26-000002", "2026-09-24", "2026-09-24T20:10:00.000Z", "10-Q", "", "b.htm"];
    let one = read(&[("acme", 1)], &[reply(200, &submissions(1, &[ROW]))]).unwrap();
    // A second filing shows that the company's values are true UTC.
    let script = Script::with_http(|_| Ok(reply(200, &submissions(1, &[ROW, clear, clear]))));
    let two = script.read(&SOURCE, &settings(&[("acme", 1)]), &one.memory).unwrap();
    assert!(two.lines.contains(&one.lines[0]), "{two:?}");
    assert_eq!(two.lines.len(), 3);
}

#[test]
fn one_company_costs_the_others_nothing() {
    let good = reply(200, &submissions(1, &[ROW]));
    let shifted = submissions(2, &[ROW]).replace("\"form\":[\"8-K\"]", "\"form\":[]");
    for (bad, words) in [
        (reply(404, ""), "`bolt`: the server answered with status 404"),
        (reply(200, "<html>"), "`bolt`: the answer is a web page (HTML), not a list of filings"),
        (reply(200, &submissions(3, &[])), "`bolt`: the answer is about another company than CIK 2"),
        (reply(200, &shifted), "`bolt`: the list of filings is shifted: 1 of `accessionNumber`, 0 of `form`"),
    ] {
        let reading = read(&[("bolt", 2), ("acme", 1)], &[bad.clone(), good.clone()]).unwrap();
        assert_eq!((reading.lines.len(), reading.notes), (1, vec![words.to_owned()]));
        let all = read(&[("bolt", 2)], &[bad]).unwrap_err().to_string();
        assert!(words.ends_with(&all), "{all}");
    }
}

#[test]
fn who_refuses_is_not_asked_again() {
    let refused =
        reply(403, "<html><h1>Your Request Originates from an Undeclared Automated Tool</h1></html>");
    let failure = read(&[("acme", 1), ("bolt", 2)], std::slice::from_ref(&refused)).unwrap_err();
    assert_eq!(
        failure.to_string(),
        "refused with status 403: the SEC wants a mail address in `contact` that it can write to, and at most \
         10 requests a second from one place"
    );
    let fast = reply(403, "<h1>Request Rate Threshold Exceeded</h1>");
    let failure = read(&[("acme", 1)], &[fast]).unwrap_err();
    assert_eq!(failure, Failure::Busy { status: 403, retry_after: Some(600) });
    let good = reply(200, &submissions(1, &[ROW]));
    let reading = read(&[("acme", 1), ("bolt", 2), ("coil", 3)], &[good, reply(429, "")]).unwrap();
    assert_eq!(reading.lines.len(), 1);
    assert_eq!(reading.notes, ["`bolt`: asked to wait (status 429)", "1 more companies were not asked for"]);
}

#[test]
fn what_did_not_change_is_kept_company_by_company() {
    let validators = Validators { etag: Some("\"x\"".to_owned()), last_modified: None };
    let first = HttpReply { validators: validators.clone(), ..reply(200, &submissions(1, &[ROW])) };
    let memory = read(&[("acme", 1), ("bolt", 2)], &[first, reply(500, "")]).unwrap().memory;
    let mut asked = Vec::new();
    let script = Script::with_http(|request| {
        asked.push(request.validators.clone());
        Ok(reply(304, ""))
    });
    let companies = settings(&[("acme", 1), ("bolt", 2)]);
    let reading = script.read(&SOURCE, &companies, &memory).unwrap();
    assert_eq!(reading, Reading { memory: memory.clone(), ..Reading::default() });
    assert_eq!(asked, [validators, Validators::default()]);
    // Other forms are another question.
    let mut other = companies;
    other.set("forms", Setting::Texts(vec!["4".to_owned()]));
    let script = Script::with_http(|request| {
        assert_eq!(request.validators, Validators::default());
        Ok(reply(304, ""))
    });
    script.read(&SOURCE, &other, &memory).unwrap();
}

#[test]
fn cells_cannot_lead_elsewhere() {
    let row = |accession, form, items, document| [accession, ROW[1], ROW[2], form, items, document];
    let rows = [
        row("0000000001-26-000001", "SCHEDULE  13D", "", "../../../x.htm"),
        row("0000000001-26-000002", "8-K/A", "9.01,3.04,20220526", ""),
        row("0000000001-26-000003", "10-K/A", "", "https://evil.example/"),
        row("../0001-26-000004", "8-K", "", "a.htm"),
    ];
    let mut wanted = settings(&[("acme", 1)]);
    let forms = ["sc 13d", "8-K/A", "10-K/A"].map(str::to_owned);
    wanted.set("forms", Setting::Texts(forms.to_vec()));
    let script = Script::with_http(|_| Ok(reply(200, &submissions(1, &rows))));
    let reading = script.read(&SOURCE, &wanted, &Memory::default()).unwrap();
    let field = |name: &str| {
        let value =
            |line: &String| serde_json::from_str::<serde_json::Value>(line).unwrap()["fields"][name].clone();
        reading.lines.iter().map(value).collect::<Vec<_>>()
    };
    assert_eq!(field("form"), ["SC 13D", "8-K/A", "10-K/A"]);
    assert_eq!(
        field("title"),
        ["SC 13D: Holding of more than 5 %", "8-K/A: item 3.04", "10-K/A: Amendment: Annual report"]
    );
    for (number, url) in field("url").iter().enumerate() {
        let folder = format!("https://www.sec.gov/Archives/edgar/data/1/00000000012600000{}/", number + 1);
        assert_eq!(url, &folder);
    }
    assert_eq!(reading.notes, ["`acme`: 1 filings without a sound accession number"]);
}

#[test]
fn what_the_settings_must_say() {
    let with_contact = |contact: &str| {
        let mut settings = settings(&[("acme", 1)]);
        settings.set("contact", plain(contact));
        settings
    };
    for contact in [
        "",
        "ann",
        "ann@",
        "@example.org",
        "ann@host",
        "ann@example.org\r\nX: y",
        "a b@example.org",
        "ann@.org.",
    ] {
        let reason = check(&with_contact(contact)).unwrap_err();
        assert_eq!(reason, "`contact` is a mail address such as `\"you@example.org\"`", "{contact}");
        let script = Script::new().read(&SOURCE, &with_contact(contact), &Memory::default());
        assert_eq!(script, Err(Failure::Secret("`contact` is no mail address".to_owned())));
    }
    assert_eq!(check(&with_contact("ann.b+sec@mail.example.org")), Ok(()));
    assert_eq!(
        check(&settings(&[("a", 7), ("b", 8), ("c", 7)])).unwrap_err(),
        "two companies have the `cik` 7"
    );
    let many: Vec<_> = (1..=201).map(|cik| ("a", cik)).collect();
    assert_eq!(check(&settings(&many)).unwrap_err(), "more than 200 companies in one source");
    // All that may be asked for are.
    let many = &many[..200];
    let mut asked = 0;
    let script = Script::with_http(|_| {
        asked += 1;
        Ok(reply(304, ""))
    });
    script.read(&SOURCE, &settings(many), &Memory::default()).unwrap();
    assert_eq!(asked, 200);
}
