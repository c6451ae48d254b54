//! What is read from a file of sources, and what each mistake is answered with.

use super::connectors::{Entry, KindRow, Known, Watching, read_connectors};
use super::options::{Form, OptionDef};
use super::settings::{SecretRef, Setting, Settings, Written};
use crate::engine::source::{FileId, SourceFile};

const KINDS: &[KindRow] = &[
    KindRow {
        name: "feed",
        options: &[
            OptionDef::required("url", Form::Url, "The feed"),
            OptionDef::optional("token", Form::Secret, "Its password"),
            OptionDef::optional("entries", Form::Number(1, 50), "How many"),
            OptionDef::optional(
                "companies",
                Form::Tables(&[OptionDef::required("cik", Form::Number(1, 9_999_999_999), "Number")]),
                "Whose",
            ),
        ],
        gives: &["news.item"],
        every: Some(900_000),
        check: |settings| {
            if settings.has("entries") && settings.has("token") { Err("not both".into()) } else { Ok(()) }
        },
    },
    KindRow { name: "jsonl", options: &[], gives: &[], every: None, check: |_| Ok(()) },
];

fn read(text: &str) -> (Vec<Entry>, Watching, Vec<String>) {
    let known = Known { kinds: KINDS, names: Some(&["news.item", "work.news"]) };
    let (entries, watching, findings) = read_connectors(text, FileId(0), known);
    let file = SourceFile::new("connectors.toml", text);
    let said = findings.iter().map(|finding| {
        let (line, column) = file.line_column(finding.span.start);
        format!("{line}:{column} {} {}", finding.id, finding.message)
    });
    (entries, watching, said.collect())
}

fn findings(text: &str) -> Vec<String> {
    read(text).2
}

#[test]
fn an_entry_is_read_with_its_names_and_its_secrets_stay_references() {
    let (entries, watching, findings) = read(
        "[source.news]\nkind = \"feed\"\nurl = \"webcal://example.org/x\"\nevery = \"1h\"\ntoken = \"keyring:feed\"\n\
         as = { \"news.item\" = \"work.news\" }\n[source.days]\nkind = \"jsonl\"\n[source.old]\nkind = \"jsonl\"\noff = true\n\
         [watch]\nping = \"env:PING\"\nping-every = \"5min\"\n",
    );
    assert_eq!(findings, [""; 0]);
    let [days, news] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((days.name.as_str(), days.kind, days.every), ("days", "jsonl", None));
    assert_eq!((news.name.as_str(), news.kind, news.every), ("news", "feed", Some(3_600_000)));
    assert_eq!(news.names.get("news.item").unwrap(), "work.news");
    assert_eq!(news.settings.text("url"), Some("webcal://example.org/x"));
    // Not looked up, so there is no text yet.
    assert_eq!(news.settings.text("token"), None);
    assert_eq!(news.settings.kept(), [&SecretRef::Keyring("feed".to_owned())]);
    assert_eq!(watching.ping, Some(Written::Kept(SecretRef::Env("PING".to_owned()))));
    assert_eq!(watching.ping_every, Some(300_000));
}

#[test]
fn each_mistake_has_its_place_and_its_words() {
    let cases: &[(&str, &[&str])] = &[
        ("[source.a]\nkind = \"fed\"", &["2:8 settings-name unknown kind, did you mean `feed`?"]),
        ("[source.a]\nkind = 3", &["2:8 settings-name unknown kind, expected one of `feed`, `jsonl`"]),
        ("[source.a]\n", &["1:9 settings-key `a` has no `kind`, expected one of `feed`, `jsonl`"]),
        ("[sources.a]\n", &["1:2 settings-key unknown table `sources`, did you mean `source`?"]),
        (
            "[source.A]\n",
            &[
                "1:9 settings-name `A` cannot be the name of a source: expected lower-case letters, digits and `-`, at most 40",
            ],
        ),
        (
            "[source.a]\nkind = \"feed\"\nurl = \"ftp://x\"\nurll = 1",
            &[
                "3:7 settings-value `url` is an address such as `\"https://example.org/feed.xml\"`",
                "4:1 settings-key unknown key `urll`, did you mean `url`?",
            ],
        ),
        (
            "[source.a]\nkind = \"feed\"\n",
            &["1:9 settings-key `url` is missing: an address such as `\"https://example.org/feed.xml\"`"],
        ),
        (
            "[source.a]\nkind = \"feed\"\nurl = \"https://x.org\"\ntoken = \"hunter2\"",
            &[
                "4:9 settings-value `token` is where the secret is kept: `\"env:NAME\"`, `\"file:PATH\"` or `\"keyring:NAME\"`",
            ],
        ),
        (
            "[source.a]\nkind = \"feed\"\nurl = \"https://x.org\"\nentries = 51\nevery = \"1ms\"",
            &[
                "4:11 settings-value `entries` is a whole number from 1 to 50",
                "5:9 settings-value `every` is a time such as `\"15min\"`",
            ],
        ),
        (
            "[source.a]\nkind = \"feed\"\nurl = \"https://x.org\"\nevery = \"8days\"",
            &["4:9 settings-value `every` is a time such as `\"15min\"`"],
        ),
        (
            "[source.a]\nkind = \"feed\"\nurl = \"https://x.org\"\nas = { \"news.itm\" = \"x.y\", \"news.item\" = \"work.newz\" }",
            &[
                "4:8 settings-key unknown signal or stream of `feed` `news.itm`, did you mean `news.item`?",
                "4:42 settings-name no rule file declares `work.newz`, did you mean `work.news`?",
            ],
        ),
        (
            "[source.a]\nkind = \"feed\"\nurl = \"https://x.org\"\nentries = 5\ntoken = \"env:T\"",
            &["1:9 settings-value not both"],
        ),
        (
            "[source.a]\nkind = \"feed\"\nurl = \"https://x.org\"\ncompanies = [{ cik = 0 }, { }]",
            &[
                "4:22 settings-value `cik` is a whole number from 1 to 9999999999",
                "4:27 settings-key `cik` is missing: a whole number from 1 to 9999999999",
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(findings(text), *expected, "{text}");
    }
}

#[test]
fn broken_toml_is_named_and_the_rest_is_read_on() {
    let (entries, _, findings) =
        read("[source.a]\nkind = \"jsonl\"\nx = = 1\n[source.b]\nkind = \"jsonl\"\n");
    assert!(findings.iter().any(|finding| finding.starts_with("3:5 settings-syntax")), "{findings:?}");
    assert!(entries.iter().any(|entry| entry.name == "b"), "{entries:?}");
}

#[test]
fn a_secret_is_never_shown() {
    let mut settings = Settings::default();
    settings.set("token", Setting::Text(Written::Kept(SecretRef::Env("T".to_owned()))));
    let resolved = settings.resolve(&mut |_| Ok::<_, ()>("hunter2".to_owned())).unwrap();
    assert_eq!(resolved.text("token"), Some("hunter2"));
    assert!(!format!("{resolved:?}").contains("hunter2"));
}
