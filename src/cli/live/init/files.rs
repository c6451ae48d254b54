//! What a new working folder holds.

use super::Choices;
use crate::config::connectors::is_address;
use crate::engine::time::Zone;

/// The rules that ship, with their tests.
const RULES: &[(&str, &str)] = &[
    ("rules/base.rule", include_str!("../../../../rules/base.rule")),
    ("rules/brief.rule", include_str!("../../../../rules/brief.rule")),
    ("rules/calendar.rule", include_str!("../../../../rules/calendar.rule")),
    ("rules/health.rule", include_str!("../../../../rules/health.rule")),
    ("rules/news.rule", include_str!("../../../../rules/news.rule")),
    ("rules/watch.rule", include_str!("../../../../rules/watch.rule")),
];

/// The zone of the rules that ship, and of their tests: both move together, so that the tests still hold.
const SHIPPED_ZONE: &str = "\"America/Toronto\"";

const IGNORED: &str =
    "# Your journal, your exports and what only concerns you.\ndata/\nrules/local/\n*.db\n.env\n";

/// Paths and texts.
pub(super) fn all(choices: &Choices) -> Vec<(String, String)> {
    let zone = format!("\"{}\"", choices.zone.0.name());
    let rules = RULES.iter().map(|(path, text)| ((*path).to_owned(), text.replace(SHIPPED_ZONE, &zone)));
    let mut files: Vec<_> = rules.collect();
    files.push(("connectors.toml".to_owned(), connectors(choices)));
    files.push((".gitignore".to_owned(), IGNORED.to_owned()));
    files
}

fn connectors(choices: &Choices) -> String {
    let mut text = String::from(
        "# What is read, and how often. `verger connector kinds` lists all kinds with their keys;\n\
         # secrets are only named here: \"env:NAME\", \"file:PATH\" or \"keyring:NAME\".\n",
    );
    let quoted = |value: &str| toml::Value::from(value).to_string();
    if let Some(path) = &choices.health {
        text.push_str(&format!("\n[source.health]\nkind = \"apple-health\"\npath = {}\n", quoted(path)));
    }
    if let Some(calendar) = &choices.calendar {
        let key = if is_address(calendar) { "url" } else { "path" };
        text.push_str(&format!(
            "\n[source.calendar]\nkind  = \"ics\"\n{key}   = {}\nevery = \"15min\"\n",
            quoted(calendar)
        ));
    }
    if let Some(feed) = &choices.feed {
        text.push_str(&format!(
            "\n[source.news]\nkind    = \"feed\"\nurl     = {}\ncompany = \"news\"\n",
            quoted(feed)
        ));
    }
    text
}

/// The zone that this machine is set to: only a suggestion, since rules name theirs.
#[expect(clippy::disallowed_methods, reason = "suggests the machine's zone to whoever makes a folder")]
pub(super) fn machine_zone() -> Option<Zone> {
    let named = std::env::var("TZ").ok().filter(|name| !name.is_empty());
    let linked = || {
        let target = std::fs::read_link("/etc/localtime").ok()?;
        Some(target.to_str()?.split_once("zoneinfo/")?.1.to_owned())
    };
    Zone::parse(named.or_else(linked)?.trim_start_matches(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rules_that_ship_are_there_in_the_chosen_zone() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
        let mut shipped: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| format!("rules/{}", entry.unwrap().file_name().to_str().unwrap()))
            .collect();
        shipped.sort();
        assert_eq!(RULES.iter().map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>(), shipped);
        let zone = Zone::parse("Asia/Tokyo").unwrap();
        let choices = Choices { zone, health: None, calendar: None, feed: None };
        let files = all(&choices);
        assert_eq!(files.iter().filter(|(_, text)| text.contains("home   = \"Asia/Tokyo\"")).count(), 1);
    }

    #[test]
    fn what_was_chosen_is_quoted() {
        let zone = Zone::parse("Asia/Tokyo").unwrap();
        let odd = Some("a \"b\"\n[source.x]".to_owned());
        let choices = Choices { zone, health: odd.clone(), calendar: odd, feed: None };
        let text = connectors(&choices);
        let known: toml::Table = text.parse().unwrap();
        assert_eq!(known["source"].as_table().unwrap().len(), 2);
    }
}
