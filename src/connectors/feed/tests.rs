//! Reads of a feed against a script of a server.

use std::fmt::Write as _;

use super::*;
use crate::config::{Setting, Written};
use crate::connectors::source::script::Script;
use crate::oracles;

/// The instant of a script.
const NOW: &str = "2026-09-26T12:00:00Z";
const ADDRESS: &str = "https://example.org/feed";

fn settings(more: &[(&str, Setting)]) -> Settings {
    let mut settings = Settings::default();
    settings.set("url", Setting::Text(Written::Plain(ADDRESS.to_owned())));
    for (key, value) in more {
        settings.set(*key, value.clone());
    }
    settings
}

fn of_company(company: &str) -> Settings {
    settings(&[("company", Setting::Text(Written::Plain(company.to_owned())))])
}

fn reply(body: impl AsRef<[u8]>) -> HttpReply {
    HttpReply { status: 200, url: ADDRESS.to_owned(), body: body.as_ref().to_vec(), ..HttpReply::default() }
}

fn try_read(settings: &Settings, memory: &Memory, reply: &HttpReply) -> Result<Reading, Failure> {
    Script::with_http(|_| Ok(reply.clone())).read(&SOURCE, settings, memory)
}

fn read_with(settings: &Settings, memory: &Memory, body: &str) -> Reading {
    try_read(settings, memory, &reply(body)).unwrap()
}

fn first(body: &str) -> Reading {
    read_with(&of_company("acme"), &Memory::default(), body)
}

fn failure(body: &str) -> String {
    try_read(&of_company("acme"), &Memory::default(), &reply(body)).unwrap_err().to_string()
}

/// An entry of RSS: title, path, guid and date.
fn item(title: &str, path: &str, guid: &str, date: &str) -> String {
    let mut item = format!("<item><title>{title}</title><link>https://example.org{path}</link>");
    if !guid.is_empty() {
        let _ = write!(item, "<guid isPermaLink=\"false\">{guid}</guid>");
    }
    let _ = write!(item, "<pubDate>{date}</pubDate></item>");
    item
}

fn rss(items: &[String]) -> String {
    format!("<rss version=\"2.0\"><channel><title>News</title>{}</channel></rss>", items.concat())
}

fn field(line: &str, name: &str) -> String {
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    let value = if name == "id" { &line["id"] } else { &line["fields"][name] };
    value.as_str().unwrap_or_default().to_owned()
}

fn fields(reading: &Reading, name: &str) -> Vec<String> {
    reading.lines.iter().map(|line| field(line, name)).collect()
}

#[test]
fn an_entry_is_a_line_of_the_contract() {
    let body = rss(&[
        "<item><title>Acme &amp;amp; Co <![CDATA[buys]]>  Bolt</title><link> /news/1?utm_source=rss </link>\
         <pubDate>Sat, 26 Sep 2026 09:30:00 +0000</pubDate>\
         <description>&lt;p&gt;For&amp;nbsp;cash.&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;</description></item>"
            .to_owned(),
    ]);
    let reading = first(&body);
    let id = field(&reading.lines[0], "id");
    assert_eq!(
        reading.lines,
        [format!(
            "{{\"at\":\"2026-09-26T08:00:00-04:00\",\"event\":\"news.item\",\"id\":\"{id}\",\"fields\":{{\
             \"company\":\"acme\",\"title\":\"Acme & Co buys Bolt\",\
             \"url\":\"https://example.org/news/1?utm_source=rss\",\
             \"published\":\"2026-09-26T05:30:00-04:00\",\"summary\":\"For cash.\"}}}}"
        )]
    );
    assert!(id.starts_with("news:") && id.len() == 25, "{id}");
    assert_eq!((reading.notes, reading.shows_all), (Vec::<String>::new(), None));
}

#[test]
fn what_did_not_change_costs_no_line_and_is_not_forgotten() {
    let validators = Validators { etag: Some("W/\"1\"".to_owned()), last_modified: None };
    let body = rss(&[item("A", "/a", "1", NOW)]);
    let first = HttpReply { validators: validators.clone(), ..reply(body) };
    let memory = try_read(&settings(&[]), &Memory::default(), &first).unwrap().memory;
    let mut asked = Vec::new();
    let unchanged = HttpReply { status: 304, ..HttpReply::default() };
    let script = Script::with_http(|request| {
        asked.push(request.validators.clone());
        Ok(unchanged.clone())
    });
    let second = script.read(&SOURCE, &settings(&[]), &memory).unwrap();
    assert_eq!(second, Reading { memory: memory.clone(), ..Reading::default() });
    assert_eq!(asked, [validators]);
    // Another company: another feed, of which nothing is known.
    let script = Script::with_http(|request| {
        assert_eq!(request.validators, Validators::default());
        Ok(first.clone())
    });
    script.read(&SOURCE, &of_company("bolt"), &memory).unwrap();
}

#[test]
fn what_is_no_feed_is_said_in_words() {
    for (body, words) in [
        (
            "<!DOCTYPE html>\n<html><body>Sorry</body></html>",
            "the answer is a web page (HTML), not a feed: check the address",
        ),
        ("<HTML><p>x<br></HTML>", "the answer is a web page (HTML), not a feed: check the address"),
        ("Not found", "the answer is text, not a feed: check the address"),
        (" \n", "the answer is empty, not a feed"),
        ("<opml version=\"1.0\"/>", "the answer is XML that begins with `<opml>`, not a feed"),
        ("{\"error\":\"no\"}", "this is JSON, but no JSON Feed: it has no `items`"),
        ("{\"items\":[", "the JSON breaks off or is damaged at line 1"),
        ("<rss version=\"2.0\"><channel><item><title>A", "the feed breaks off before its first entry ends"),
    ] {
        assert_eq!(failure(body), words, "{body}");
    }
    for (status, words) in [(404, "the server answered with status 404"), (503, "asked to wait (status 503)")]
    {
        let reply = HttpReply { status, ..HttpReply::default() };
        let failure = try_read(&settings(&[]), &Memory::default(), &reply).unwrap_err();
        assert_eq!(failure.to_string(), words);
    }
}

#[test]
fn a_feed_that_breaks_off_is_asked_for_again() {
    let whole = rss(&[item("A", "/a", "1", NOW), item("B", "/b", "2", NOW)]);
    let (cut, _) = whole.split_once("<title>B").unwrap();
    let validators = Validators { etag: Some("\"1\"".to_owned()), last_modified: None };
    let reading =
        try_read(&settings(&[]), &Memory::default(), &HttpReply { validators, ..reply(cut) }).unwrap();
    assert_eq!(fields(&reading, "title"), ["A"]);
    assert_eq!(reading.notes, ["the feed breaks off after 1 entries"]);
    assert_eq!(reading.memory.read::<Kept>().validators, Validators::default());
    assert_eq!(first(&rss(&[])).notes, ["the feed has no entries"]);
}

#[test]
fn entries_that_cannot_be_told_are_counted_by_reason() {
    let body = rss(&[
        item("", "/a", "1", NOW),
        "<item><title>&lt;img src='x'&gt;</title><link>https://example.org/b</link></item>".to_owned(),
        format!("<item><title>C</title><guid>urn:c</guid><pubDate>{NOW}</pubDate></item>"),
        format!("<item><title>D</title><link>javascript:alert(1)</link><pubDate>{NOW}</pubDate></item>"),
        format!("<item><title>D</title><link>https://e.org/{}</link></item>", "d".repeat(2_000)),
        item("E", "/e", "5", "yesterday"),
        item("F", "/f", "6", "2026-09-23T11:59:59Z"),
    ]);
    let reading = first(&body);
    assert_eq!(reading.lines, [""; 0]);
    assert_eq!(
        reading.notes,
        [
            "entries left out: 2 without a title, 3 without a web address that can be followed, 1 without a date that can be read"
        ]
    );
}

#[test]
fn the_newest_entries_in_the_order_of_publication() {
    let body = rss(&[
        item("B", "/b", "2", "2026-09-26T02:00:00Z"),
        item("C", "/c", "3", "2026-09-26T03:00:00Z"),
        item("A", "/a", "1", "2026-09-26T01:00:00Z"),
    ]);
    assert_eq!(fields(&first(&body), "title"), ["A", "B", "C"]);
    let two = read_with(&settings(&[("entries", Setting::Number(2))]), &Memory::default(), &body);
    assert_eq!(fields(&two, "title"), ["B", "C"]);
    assert_eq!(fields(&two, "company"), ["", ""]);
}

#[test]
fn a_date_in_the_future_is_now_and_stays_so() {
    let body = rss(&[item("A", "/a", "1", "2031-01-01T00:00:00Z")]);
    let reading = first(&body);
    assert_eq!(fields(&reading, "published"), ["2026-09-26T08:00:00-04:00"]);
    let mut later = Script::with_http(|_| Ok(reply(&body)));
    later.at = "2026-09-27T12:00:00Z".parse().unwrap();
    let later = later.read(&SOURCE, &of_company("acme"), &reading.memory).unwrap();
    assert_eq!(fields(&later, "published"), ["2026-09-26T08:00:00-04:00"]);
    assert_eq!(fields(&later, "id"), fields(&reading, "id"));
}

#[test]
fn formats_that_feeds_have() {
    let cases = [
        format!(
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='https://example.org/n/'><entry><title type='html'>\
             A &amp;amp; B</title><id>x</id><link rel='self' href='no'/><link href='1'/>\
             <updated>{NOW}</updated></entry></feed>"
        ),
        format!(
            "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><title mode='escaped' type='text/html'>\
             A &amp;amp; B</title><link rel='alternate' type='text/html' href='https://example.org/n/1'/>\
             <issued>{NOW}</issued></entry></feed>"
        ),
        format!(
            "junk <br/><rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
             xmlns:dc='http://purl.org/dc/elements/1.1/'><channel/><item rdf:about='x'><title>A & B</title>\
             <link>https://example.org/n/1</link><dc:date>{NOW}</dc:date></item></rdf:RDF>"
        ),
        format!(
            "\n<?xml version='1.0'?><rss><channel><item><media:title>M</media:title><title>A &amp; B</title>\
             <guid>https://example.org/n/1</guid><pubDate>{NOW}</pubDate></item></channel></rss>"
        ),
        format!(
            "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[7,{{\"id\":7,\"title\":\"A & B\",\
             \"url\":\"https://example.org/n/1\",\"date_published\":\"{NOW}\"}}]}}"
        ),
    ];
    let mut ids = Vec::new();
    for body in cases {
        let reading = first(&body);
        assert_eq!(fields(&reading, "title"), ["A & B"], "{body}");
        assert_eq!(fields(&reading, "url"), ["https://example.org/n/1"], "{body}");
        assert_eq!(reading.notes, [""; 0], "{body}");
        ids.extend(fields(&reading, "id"));
    }
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
}

#[test]
fn letters_of_every_encoding() {
    let text = |declared: &str| {
        format!("<?xml version='1.0' encoding='{declared}'?>{}", rss(&[item("Zürich – 年", "/a", "", NOW)]))
    };
    let wide = |text: &str, little: bool| -> Vec<u8> {
        let bytes = |letter: char| {
            if little { u32::from(letter).to_le_bytes() } else { u32::from(letter).to_be_bytes() }
        };
        text.chars().flat_map(bytes).collect()
    };
    let units = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let utf8 = text("utf-8");
    for (bytes, content_type) in [
        (utf8.clone().into_bytes(), None),
        // A name that the bytes contradict.
        (text("utf-16").into_bytes(), Some("text/xml; charset=\"UTF-16\"")),
        (text("us-ascii-of-mars").into_bytes(), None),
        ([b"\xef\xbb\xbf", utf8.as_bytes()].concat(), Some("text/xml; charset=iso-8859-1")),
        ([b"\xff\xfe".to_vec(), units(&utf8)].concat(), None),
        (units(&utf8), None),
        ([b"\xff\xfe\0\0".to_vec(), wide(&utf8, true)].concat(), None),
        (wide(&utf8, true), None),
        (wide(&utf8, false), None),
        (encoding_rs::GB18030.encode(&text("gb18030")).0.into_owned(), None),
        (encoding_rs::GB18030.encode(&utf8).0.into_owned(), Some("application/xml;charset=gb18030")),
    ] {
        let reply = HttpReply { content_type: content_type.map(str::to_owned), ..reply(bytes) };
        let reading = try_read(&settings(&[]), &Memory::default(), &reply).unwrap();
        assert_eq!(fields(&reading, "title"), ["Zürich – 年"], "{content_type:?}");
    }
    let latin = HttpReply {
        ..reply(
            b"<rss><channel><item><title>Caf\xe9 \x96</title><link>https://e.org/1</link>\
        <pubDate>2026-09-26</pubDate></item></channel></rss>",
        )
    };
    let reading = try_read(&settings(&[]), &Memory::default(), &latin).unwrap();
    assert_eq!(fields(&reading, "title"), ["Café –"]);
}

/// Two reads of one feed.
fn twice(one: &[String], two: &[String]) -> (Reading, Reading) {
    let one = first(&rss(one));
    let two = read_with(&of_company("acme"), &one.memory, &rss(two));
    (one, two)
}

#[test]
fn a_story_keeps_its_id() {
    let old = item("Acme buys Bolt", "/n/1", "g1", "2026-09-26T01:00:00Z");
    for again in [
        item("ACME buys: Bolt!", "/moved", "other", "2026-09-26T02:00:00Z"),
        item("Acme to buy Bolt", "/n/1?utm_source=x", "other", "2026-09-26T02:00:00Z"),
        // The same guid, edited.
        item("Acme to buy Bolt", "/n/acme-to-buy-bolt", "g1", "2026-09-26T01:00:00Z"),
        item("Acme to buy Bolt", "/n/1", "g1", "2026-09-26T09:00:00Z"),
    ] {
        let (one, two) = twice(std::slice::from_ref(&old), std::slice::from_ref(&again));
        assert_eq!(fields(&one, "id"), fields(&two, "id"), "{again}");
        assert_eq!(fields(&two, "published"), ["2026-09-25T21:00:00-04:00"], "{again}");
        // And in one read, where a guid that two titles have is none.
        if again.contains("acme-to-buy-bolt") {
            continue;
        }
        let both = first(&rss(&[again.clone(), old.clone()]));
        assert_eq!(fields(&both, "id"), fields(&one, "id"), "{again}");
    }
    for other in [
        item("Acme sells Bolt", "/n/2", "g2", "2026-09-26T01:00:00Z"),
        // A guid that every entry has.
        item("Acme sells Bolt", "/n/2", "g1", "2026-09-26T02:00:00Z"),
        item("Acme sells Bolt", "/n/1?id=2", "g2", "2026-09-26T01:00:00Z"),
    ] {
        let (one, two) = twice(std::slice::from_ref(&old), std::slice::from_ref(&other));
        assert_ne!(fields(&one, "id"), fields(&two, "id"), "{other}");
    }
}

#[test]
fn a_title_that_comes_again_is_a_story_of_its_own() {
    let item =
        |day: &str| item("Transaction in own shares", &format!("/{day}"), day, &format!("{day}T07:00:00Z"));
    let days = ["2026-09-14", "2026-09-21", "2026-09-25"];
    let mut memory = Memory::default();
    let mut ids = Vec::new();
    for day in days {
        let body = rss(&[item(day)]);
        let mut script = Script::with_http(|_| Ok(reply(&body)));
        script.at = format!("{day}T08:00:00Z").parse().unwrap();
        let reading = script.read(&SOURCE, &of_company("acme"), &memory).unwrap();
        ids.extend(fields(&reading, "id"));
        memory = reading.memory;
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
}

/// Fetches of a bug report, all of 2026-09-26.
fn of_report(fetch: &serde_json::Value) -> Vec<String> {
    let one = |entry: &serde_json::Value| {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().replace('&', "&amp;");
        let guid = format!("<guid isPermaLink='false'>{}{}</guid>", text("guid"), text("id"));
        format!(
            "<item><title>{}</title><link>{}</link>{guid}<pubDate>{NOW}</pubDate></item>",
            text("title"),
            text("link")
        )
    };
    fetch.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn a_host_that_changes_is_the_same_story() {
    let Some(report) = oracles::bug("A14") else { return };
    let (one, two) = twice(&of_report(&report["input"]["fetch1"]), &of_report(&report["input"]["fetch2"]));
    let new = fields(&two, "id").iter().filter(|id| !fields(&one, "id").contains(id)).count();
    assert_eq!(serde_json::json!(new), report["right"]["alerts_after_fetch2"]);
}

#[test]
fn one_guid_for_all_entries_is_none() {
    let Some(report) = oracles::bug("A15") else { return };
    let items: Vec<_> = (0..10)
        .map(|n| item(&format!("Update {n}"), &format!("/u/{n}"), "https://fluentboards.com/", NOW))
        .collect();
    assert_eq!(serde_json::json!(first(&rss(&items)).lines.len()), report["right"]["items_seen"]);
    // Nor is a page that all entries lead to.
    let items: Vec<_> =
        (0..3).map(|n| item(&format!("5.{n}-rc4"), "/kernels", &format!("k{n}"), NOW)).collect();
    assert_eq!(first(&rss(&items)).lines.len(), 3);
    let items: Vec<_> = (0..2).map(|n| item(&format!("5.{n}-rc4"), "/", &format!("k{n}"), NOW)).collect();
    assert_eq!(first(&rss(&items)).lines.len(), 2);
}

#[test]
fn an_id_that_becomes_relative_is_the_same_story() {
    let Some(report) = oracles::bug("A16") else { return };
    let entry = |fetch: &str| {
        let entry = &report["input"][fetch];
        let (id, title) = (entry["id"].as_str().unwrap(), entry["title"].as_str().unwrap());
        format!(
            "<item><title>{title}</title><link>http://sealedabstract.com/?p=2494</link>\
                 <guid>{id}</guid><pubDate>{NOW}</pubDate></item>"
        )
    };
    let (one, two) = twice(&[entry("fetch1")], &[entry("fetch2")]);
    assert_eq!(fields(&one, "id"), fields(&two, "id"));
    assert_eq!(serde_json::json!(two.lines.len()), report["right"]["entries"]);
}

#[test]
fn two_feeds_of_a_company_tell_one_story() {
    let at = |url: &str, company: Option<&str>| {
        let mut settings = Settings::default();
        settings.set("url", Setting::Text(Written::Plain(url.to_owned())));
        if let Some(company) = company {
            settings.set("company", Setting::Text(Written::Plain(company.to_owned())));
        }
        let reply = HttpReply { url: url.to_owned(), ..reply(rss(&[item("Acme buys Bolt", "/1", "", NOW)])) };
        fields(&try_read(&settings, &Memory::default(), &reply).unwrap(), "id")
    };
    let one = at("https://wire.example/a", Some("Acme"));
    assert_eq!(one, at("https://news.example/b", Some("acme")));
    assert_ne!(one, at("https://news.example/b", Some("bolt")));
    // Without a company the host stands for it.
    assert_eq!(at("https://wire.example/a", None), at("https://www.wire.example/b", None));
    assert_ne!(at("https://wire.example/a", None), at("https://news.example/b", None));
}

#[test]
fn hostile_documents_cost_little() {
    let deep = format!("<rss><channel>{}", "<a>".repeat(200_000));
    assert_eq!(failure(&deep), "the feed breaks off before its first entry ends");
    let many: String = (0..100_000).map(|n| format!("a{n}='' ")).collect();
    let many = format!("<rss {many}><channel>{}</channel></rss>", item("A", "/a", "", NOW));
    assert_eq!(fields(&first(&many), "title"), ["A"]);
    let declared: String = (0..500).map(|n| format!("<x xmlns:p{n}='u'>")).collect();
    assert_eq!(failure(&format!("<rss>{declared}")), "the feed breaks off before its first entry ends");
    let items: Vec<_> = (0..3_000).map(|n| item(&format!("Title {n}"), &format!("/{n}"), "", NOW)).collect();
    let reading = first(&rss(&items));
    assert_eq!(reading.lines.len(), 100);
    assert_eq!(reading.notes, ["1000 entries beyond the first 2000 were not read"]);
    let feed = rss(&[item("&b; A", "/a", "", NOW)]);
    let bomb = format!("<!DOCTYPE rss [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]>{feed}");
    assert_eq!(fields(&first(&bomb), "title"), ["&b; A"]);
    for text in ["&lt;a \"", "&amp;", "&lt;a&gt;&lt;/b", "&lt;!--"] {
        let items: Vec<_> = (0..20).map(|_| item(&text.repeat(8_000), "/a", "", NOW)).collect();
        assert!(first(&rss(&items)).lines.len() <= 1, "{text}");
    }
    let long = rss(&[item(&"word ".repeat(100_000), "/a", "", NOW)]);
    assert_eq!(fields(&first(&long), "title")[0].chars().count(), 200);
}

#[test]
fn a_calendars_address_is_refused() {
    assert_eq!((SOURCE.check)(&settings(&[])), Ok(()));
    let webcal = settings(&[("url", Setting::Text(Written::Plain("webcal://example.org/x".to_owned())))]);
    assert_eq!((SOURCE.check)(&webcal).unwrap_err(), "`url` of a feed begins with `https://` or `http://`");
}
