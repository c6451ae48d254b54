//! What makes two tellings one story, and what becomes of their text.

use proptest::prelude::*;

use super::*;

fn news(company: &str, title: &str, form: Option<&str>, url: &str, published: &str) -> NewsItem {
    NewsItem {
        id: String::new(),
        company: (!company.is_empty()).then(|| company.to_owned()),
        title: title.to_owned(),
        form: form.map(str::to_owned),
        url: url.to_owned(),
        published: published.parse().unwrap(),
        summary: None,
    }
}

#[test]
fn a_filing_is_the_story_of_the_release_two_hours_around_it() {
    let release =
        |at: &str| news("Acme", "Acme reports its third quarter", None, "https://wire.example/1", at);
    let filing = |form: &str, at: &str| {
        news("acme", "8-K: Results of operations", Some(form), "https://www.sec.gov/Archives/1", at)
    };
    let at = "2026-09-26T12:00:00Z";
    for (a, b, same) in [
        (release(at), filing("8-K", "2026-09-26T14:00:00Z"), true),
        (filing("8-K", "2026-09-26T10:00:00Z"), release(at), true),
        (release(at), filing("8-K", "2026-09-26T14:00:01Z"), false),
        (release(at), filing("8-K/A", at), false),
        (release(at), filing("10-Q", at), false),
        // Two filings are two, however alike their titles are.
        (
            filing("8-K", at),
            news("acme", "8-K: Results of operations", Some("8-K"), "https://www.sec.gov/Archives/2", at),
            false,
        ),
        (filing("8-K", at), filing("8-K", at), true),
    ] {
        assert_eq!(same_story(&a, &b), same, "{a:?} {b:?}");
        assert_eq!(same_story(&b, &a), same, "{b:?} {a:?}");
    }
}

#[test]
fn titles_and_paths_make_a_story_of_one_company() {
    let at = "2026-09-26T12:00:00Z";
    let one = news("Acme, Inc.", "Moody’s cuts Acme", None, "https://a.example/x/1?utm_medium=rss&id=3", at);
    for (company, title, url, published, same) in [
        ("ACME INC", "MOODY'S  CUTS ACME!", "https://b.example/y", "2026-09-29T12:00:00Z", true),
        ("ACME INC", "Moody's cuts Acme", "https://b.example/y", "2026-09-29T12:00:01Z", false),
        ("Acme Inc", "Acme is cut", "http://b.example/x/1/?id=3&gclid=7", at, true),
        ("Acme Inc", "Acme is cut", "http://b.example/x/1?id=4", at, false),
        ("Bolt", "Moody’s cuts Acme", "https://a.example/x/1?id=3", at, false),
        ("", "Moody’s cuts Acme", "https://a.example/x/1?id=3", at, false),
    ] {
        let other = news(company, title, None, url, published);
        assert_eq!(same_story(&one, &other), same, "{other:?}");
    }
    let unnamed = news("", "A", None, "https://a.example/1", at);
    assert!(!same_story(&unnamed, &unnamed));
}

#[test]
fn keys_keep_what_tells_stories_apart() {
    for (title, key) in [
        ("  Q3: Acme—Bolt (update 2) ", "q3 acme bolt update 2"),
        ("ＡＣＭＥ Straße", "acme strasse"),
        ("年度报告", "年度报告"),
        ("!!! ", "!!!"),
    ] {
        assert_eq!(title_key(title), key, "{title}");
    }
    assert_eq!(title_key("Cafe\u{301}"), title_key("CAFÉ"));
    for (url, key) in [
        ("https://a.example/", None),
        ("https://a.example/index.html?utm_source=x", None),
        ("https://a.example/?p=2494", Some("\u{1f}p=2494")),
        ("https://a.example/n/1/?b=2&a=1&fbclid=x#top", Some("/n/1\u{1f}a=1\u{1f}b=2")),
        ("no address", None),
    ] {
        assert_eq!(path_key(url).as_deref(), key, "{url}");
    }
}

#[test]
fn an_id_lasts_a_week_from_sunday_morning() {
    let id = |at: &str| story_id("acme", "Dividend", at.parse().unwrap());
    assert_eq!(id("2026-09-20T06:00:00Z"), id("2026-09-27T05:59:59Z"));
    assert_ne!(id("2026-09-27T05:59:59Z"), id("2026-09-27T06:00:00Z"));
    assert_ne!(
        id("2026-09-20T06:00:00Z"),
        story_id("bolt", "Dividend", "2026-09-20T06:00:00Z".parse().unwrap())
    );
}

#[test]
fn addresses_lead_to_the_web() {
    let base = Url::parse("https://example.org/n/feed.xml").unwrap();
    for (written, whole) in [
        ("http://Example.org", Some("http://Example.org")),
        ("2.html", Some("https://example.org/n/2.html")),
        ("//cdn.example/2", Some("https://cdn.example/2")),
        ("https://example.org/ä b", Some("https://example.org/%C3%A4%20b")),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("data:text/html,x", None),
        ("", None),
    ] {
        assert_eq!(web_address(written, Some(&base)).as_deref(), whole, "{written}");
    }
    assert_eq!(web_address("2.html", None), None);
    assert_eq!(web_address(&format!("https://e.org/{}", "a".repeat(URL_MAX)), None), None);
}

#[test]
fn markup_becomes_one_plain_line() {
    for (markup, plain) in [
        ("<p>One</p><p>two <b>th</b>ree<br/>four</p>", "One two three four"),
        ("5 < 6 &amp; 7 > 6 &hearts;&#8217;&#146;&nosuch; &", "5 < 6 & 7 > 6 ♥’’&nosuch; &"),
        ("&lt;script&gt;x&lt;/script&gt;", "< script>x< /script>"),
        ("a<script>if (1<2) x()</script>b<!-- <i> -->c<style>x", "a bc"),
        ("<a href=\"x>y\">in</a> <img alt='", "in"),
        ("<a title=\"5 > 4>one</a> <b>two</b>", "4>one two"),
        ("tab\tline\r\nnext\u{a0}\u{202e}\u{0}", "tab line next"),
    ] {
        assert_eq!(text::of_markup(markup, 200), plain, "{markup}");
    }
}

#[test]
fn long_text_is_cut_between_graphemes() {
    assert_eq!(text::cut("abcdef", 6), "abcdef");
    assert_eq!(text::cut("abcdef", 5), "abcd…");
    assert_eq!(text::cut("ab cdef", 4), "ab…");
    // A family is one.
    assert_eq!(text::cut("ab👨‍👩‍👧cdef", 6), "ab…");
}

proptest! {
    #[test]
    fn no_text_is_a_tag_or_too_long(markup in "[<>&;/!a-c#\"' é\u{202e}\n-]{0,80}", length in 1_usize..60) {
        for line in [text::of_markup(&markup, length), text::of_plain(&markup, length)] {
            prop_assert!(line.chars().count() <= length);
            let moves = line.contains(['\n', '\u{202e}']);
            prop_assert!(!moves);
            let opens = |next: char| next.is_ascii_alphabetic() || "/!?".contains(next);
            let tag = line.split('<').skip(1).any(|behind| behind.starts_with(opens));
            prop_assert!(!tag, "{}", line);
        }
    }
}
