//! The snippets of README and manual: each can be read and is in its canonical form.

use super::check;

/// Blocks that begin with three backticks and `rule`, without the indentation of the list they stand in.
fn snippets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(indent) = line.strip_suffix("```rule") else { continue };
        let block = lines.by_ref().take_while(|line| line.trim() != "```");
        let bare = block.map(|line| line.strip_prefix(indent).unwrap_or(line).to_owned() + "\n");
        found.push(bare.collect());
    }
    found
}

#[test]
fn every_snippet_is_in_its_canonical_form() {
    let readme = snippets(include_str!("../../../../../README.md"));
    let manual = snippets(include_str!("../../../../../docs/language.md"));
    assert_eq!((readme.len(), manual.len()), (3, 4), "a snippet has lost its mark");
    for snippet in readme.iter().chain(&manual) {
        assert_eq!(check(snippet), *snippet);
    }
}
