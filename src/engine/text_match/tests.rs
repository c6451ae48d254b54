//! What `has` finds, and what it does not.

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

use super::Matcher;
use super::fold::{fold, is_edge};

fn has(entry: &str, text: &str) -> bool {
    Matcher::new([entry]).matches(text)
}

#[test]
fn whole_words_only() {
    assert!(has("exam", "Final exam"));
    assert!(has("exam", "Exam: maths"));
    assert!(has("exam", "(exam)"));
    assert!(has("sam", "At Sam's"));
    assert!(!has("exam", "for example"));
    assert!(!has("exam", "reexam"));
    assert!(!has("exam", "exam2"));
    assert!(has("exam", "an example of an exam"), "a later place counts");
}

#[test]
fn a_star_frees_the_ending() {
    assert!(has("exam*", "some examples"));
    assert!(has("exam*", "exam"));
    assert!(!has("exam*", "reexamine"));
    assert!(has("leg *", "leg day"));
    assert!(!has("leg *", "legend"));
    assert!(has("a*b", "a*b"), "elsewhere a star is a star");
    assert!(!has("a*b", "acb"));
}

#[test]
fn entries_without_letters_match_nothing() {
    for entry in ["", " ", "*", " * ", "\u{AD}"] {
        assert!(!has(entry, "anything * at all"), "{entry:?}");
    }
    assert!(!Matcher::default().matches("anything"));
}

#[test]
fn several_words_with_any_blanks() {
    assert!(has("leg day", "LEG\u{A0} \t day at the gym"));
    assert!(has(" leg  day ", "leg day"));
    assert!(!has("leg day", "leg-day"));
    assert!(!has("leg day", "leg daylight"));
}

#[test]
fn case_and_encoding_do_not_matter() {
    assert!(has("straße", "lange STRASSE"));
    assert!(has("ΟΔΟΣ", "οδος") && has("οδός", "ΟΔΌΣ"));
    assert!(has("café", "Cafe\u{301}"));
    assert!(!has("cafe", "Cafe\u{301}"), "an accent is part of the word");
    assert!(has("gym", "\u{FF27}\u{FF39}\u{FF2D}"), "full-width letters");
    assert!(has("office", "o\u{FB03}ce"), "ligatures");
    assert!(has("example", "exam\u{AD}ple"), "soft hyphens show nothing");
    assert!(has("ジム", "\u{FF7C}\u{FF9E}\u{FF91}へ"), "half-width kana");
}

#[test]
fn scripts_without_spaces_match_anywhere() {
    assert!(has("面试", "字节面试二面"));
    assert!(has("すし", "おすし屋"));
    assert!(has("ジム", "駅前ジムで"));
    assert!(has("สอบ", "วันสอบปลายภาค"));
    assert!(has("ສອບ", "ມື້ສອບເສັງ"));
    assert!(has("ប្រឡង", "ថ្ងៃប្រឡងបញ្ចប់"));
    assert!(has("စာမေးပွဲ", "ဒီနေ့စာမေးပွဲရှိ"));
    assert!(!has("か", "が"), "a letter with its mark is another letter");
    assert!(has("meta", "Meta面试"), "the change of script is an edge");
    assert!(!has("시험", "시험을"), "Korean is written with spaces");
    assert!(has("시험*", "시험을"));
}

#[test]
fn entries_of_signs() {
    assert!(has("c++", "C++ course"));
    assert!(has("8-K/A", "Form 8-k/a filed"));
    assert!(has("🏃", "morning 🏃run"));
}

/// The first seed's calendar titles, as far as plain lists decide them.
#[test]
fn calendar_titles() {
    let training = Matcher::new(["gym", "leg day", "long run", "run", "morning run", "yoga", "健身", "跑步"]);
    for title in ["Leg day at the gym", "Long run with Sam", "Run", "Run 10k", "Morning run", "Yoga", "健身"]
    {
        assert!(training.matches(title), "{title}");
    }
    let phrases = Matcher::new(["gym", "leg day", "long run", "yoga", "健身"]);
    for title in
        ["Train to Toronto", "Run errands", "Running late buffer", "Eye exam", "Code review", "Holiday"]
    {
        assert!(!phrases.matches(title), "{title}");
    }
    let high_stakes = Matcher::new(["interview", "exam*", "midterm*", "presentation*", "pitch", "面试"]);
    for title in ["Meta interview", "字节面试", "Final exam"] {
        assert!(high_stakes.matches(title), "{title}");
    }
    let spectator = Matcher::new(["watch", "on tv"]);
    assert!(spectator.matches("Watch football at Sam's") && spectator.matches("Tennis on TV"));
    assert!(!spectator.matches("Race condition bug bash"));
}

#[test]
fn says_which_entry() {
    let list = Matcher::new(["Exam*", "gym", "exam", "面试"]);
    assert_eq!(list.matched("GYM, then an exam"), Some("gym"));
    assert_eq!(list.matched("exam, then gym"), Some("Exam*"));
    assert_eq!(list.matched("nothing"), None);
}

/// The same meaning without buckets: every place of the text, every entry.
fn naive(entries: &[String], text: &str) -> bool {
    let text: Vec<char> = fold(text).chars().collect();
    entries.iter().any(|entry| {
        let trimmed = entry.trim();
        let (body, open) = trimmed.strip_suffix('*').map_or((trimmed, false), |body| (body, true));
        let stem = fold(body);
        let stem = if open { stem.trim_start() } else { stem.trim() };
        let stem: Vec<char> = stem.chars().collect();
        !stem.is_empty()
            && text.windows(stem.len()).enumerate().any(|(place, part)| {
                let before = place.checked_sub(1).map(|index| text[index]);
                let after = text.get(place + stem.len()).copied();
                part == stem
                    && is_edge(before, Some(stem[0]))
                    && (open || is_edge(stem.last().copied(), after))
            })
    })
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-cA-C]{1,3}",
        "[a-c]{1,2}\\*",
        "[abßSsıİéΣσς]{1,3}",
        "[a健身跑]{1,2}",
        "[ก-จaがか\u{3099}]{1,2}",
        "[ab] [ab]",
        "\\PC{0,3}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        (word(), prop_oneof![Just(""), Just(" "), Just("-"), Just("\u{301}"), Just("\u{3000}")]),
        0..6,
    )
    .prop_map(|parts| parts.into_iter().map(|(word, gap)| word + gap).collect())
}

proptest! {
    #[test]
    fn equals_the_naive_search(entries in prop::collection::vec(word(), 0..5), text in text()) {
        let list = Matcher::new(entries.iter().map(String::as_str));
        prop_assert_eq!(list.matches(&text), naive(&entries, &text));
    }

    #[test]
    fn case_does_not_matter(entries in prop::collection::vec(word(), 0..5), text in "[a-z健身éüσ -]{0,12}") {
        let list = Matcher::new(entries.iter().map(String::as_str));
        prop_assert_eq!(list.matches(&text), list.matches(&text.to_uppercase()));
    }

    #[test]
    fn encoding_does_not_matter(entries in prop::collection::vec(word(), 0..5), text in text()) {
        let list = Matcher::new(entries.iter().map(String::as_str));
        let found = list.matches(&text);
        prop_assert_eq!(found, list.matches(&text.nfd().collect::<String>()));
        prop_assert_eq!(found, list.matches(&text.nfkc().collect::<String>()));
        let decomposed: Vec<String> = entries.iter().map(|entry| entry.nfd().collect()).collect();
        prop_assert_eq!(found, Matcher::new(decomposed.iter().map(String::as_str)).matches(&text));
    }

    #[test]
    fn one_more_entry_takes_nothing_away(entries in prop::collection::vec(word(), 0..4), more in word(), text in text()) {
        let few = Matcher::new(entries.iter().map(String::as_str));
        let many = Matcher::new(entries.iter().map(String::as_str).chain([more.as_str()]));
        prop_assert!(!few.matches(&text) || many.matches(&text));
        prop_assert_eq!(many.matches(&text), few.matches(&text) || Matcher::new([more.as_str()]).matches(&text));
    }

    #[test]
    fn folding_twice_changes_nothing(text in text()) {
        let once = fold(&text);
        prop_assert_eq!(fold(&once), once);
    }
}
