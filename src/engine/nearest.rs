//! The nearest right spelling of a word, for help lines.
//!
//! A wrong guess is worse than none, so the cut-off is a third of the word. Never looks at meaning.
//!
//! INVARIANT: the answer depends on the set of candidates, not on their order.

/// Longer words are not compared: the cost grows with the product of both lengths.
const WORD_CHARS_MAX: usize = 64;

/// The candidate that the writer of `word` most likely meant, if one is near enough.
///
/// Near is, in this order: the same but for case; the last part of a dotted name (`hrv` for `health.hrv`);
/// the same parts in another order (`sleep-short`); few edits, where swapped neighbours count once. Of
/// equally near ones the first in alphabetical order is taken. A candidate equal to `word` is no help and is
/// left out.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = Wanted::new(word)?;
    candidates
        .into_iter()
        .filter(|candidate| *candidate != word)
        .filter_map(|candidate| wanted.distance(candidate).map(|distance| (distance, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The question of a help line, "did you mean `brief`?", if a candidate is near enough.
#[must_use]
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// The misspelt word, prepared once for all candidates.
struct Wanted {
    folded: String,
    letters: Vec<char>,
    parts: Vec<String>,
}

impl Wanted {
    fn new(word: &str) -> Option<Self> {
        if word.is_empty() || word.chars().count() > WORD_CHARS_MAX {
            return None;
        }
        let folded = word.to_lowercase();
        Some(Self { letters: folded.chars().collect(), parts: parts(&folded), folded })
    }

    /// How far a candidate is, if it is near at all.
    fn distance(&self, candidate: &str) -> Option<usize> {
        let folded = candidate.to_lowercase();
        if folded == self.folded {
            return Some(0);
        }
        if folded.rsplit_once('.').is_some_and(|(_, last)| last == self.folded) {
            return Some(1);
        }
        if self.parts.len() > 1 && parts(&folded) == self.parts {
            return Some(1);
        }
        let letters: Vec<char> = folded.chars().take(WORD_CHARS_MAX + 1).collect();
        let edits_max = self.letters.len().max(3) / 3;
        if letters.len() > WORD_CHARS_MAX || letters.len().abs_diff(self.letters.len()) > edits_max {
            return None;
        }
        // A word of which nothing is left is another word.
        let edits = edits(&self.letters, &letters);
        (edits <= edits_max && edits < self.letters.len()).then_some(edits)
    }
}

/// Words of a name, sorted.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = name.split(['-', '.', '_']).map(str::to_owned).collect();
    parts.sort_unstable();
    parts
}

/// Insertions, deletions, replacements and swaps of neighbours, no letter touched twice (optimal string
/// alignment; Damerau 1964). For those who know more of their names than their letters.
pub(super) fn edits(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (row, &left) in from.iter().enumerate() {
        let mut current = Vec::with_capacity(to.len() + 1);
        current.push(row + 1);
        let mut near = row + 1;
        for (column, &right) in to.iter().enumerate() {
            let replaced = at(&above, column) + usize::from(left != right);
            near = replaced.min(near + 1).min(at(&above, column + 1) + 1);
            if let (Some(row), Some(column)) = (row.checked_sub(1), column.checked_sub(1))
                && from.get(row) == Some(&right)
                && to.get(column) == Some(&left)
            {
                near = near.min(at(&before, column) + 1);
            }
            current.push(near);
        }
        before = std::mem::replace(&mut above, current);
    }
    at(&above, to.len())
}

/// A cell of a row; far away where there is none.
fn at(row: &[usize], column: usize) -> usize {
    row.get(column).copied().unwrap_or(WORD_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{edits, nearest};

    const NAMES: [&str; 6] =
        ["health.hrv", "health.asleep", "short-sleep", "America/Toronto", "Asia/Tokyo", "brief"];

    #[test]
    fn finds_slips() {
        for (word, meant) in [
            ("health.hvr", "health.hrv"),
            ("helth.asleep", "health.asleep"),
            ("hrv", "health.hrv"),
            ("sleep-short", "short-sleep"),
            ("SHORT-SLEEP", "short-sleep"),
            ("america/torronto", "America/Toronto"),
            ("breif", "brief"),
        ] {
            assert_eq!(nearest(word, NAMES), Some(meant), "{word}");
        }
    }

    #[test]
    fn says_nothing_about_other_words() {
        for word in ["", "x", "Mars/Base", "wallet", "brief", &"long".repeat(40)] {
            assert_eq!(nearest(word, NAMES), None, "{word}");
        }
        assert_eq!(nearest("a", ["b"]), None);
    }

    #[test]
    fn takes_the_first_of_equally_near_ones_in_any_order() {
        assert_eq!(nearest("health.hr", ["health.hrx", "health.hra"]), Some("health.hra"));
        assert_eq!(nearest("health.hr", ["health.hra", "health.hrx"]), Some("health.hra"));
    }

    #[test]
    fn a_swap_is_one_edit() {
        let count =
            |from: &str, to: &str| edits(&from.chars().collect::<Vec<_>>(), &to.chars().collect::<Vec<_>>());
        assert_eq!(count("ab", "ba"), 1);
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("ca", "abc"), 3);
        assert_eq!(count("kitten", "sitting"), 3);
    }

    proptest! {
        #[test]
        fn edits_are_symmetric_and_bounded(a in "[abc]{0,8}", b in "[abc]{0,8}") {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(edits(&a, &b), edits(&b, &a));
            prop_assert!(edits(&a, &b) >= a.len().abs_diff(b.len()));
            prop_assert!(edits(&a, &b) <= a.len().max(b.len()));
            prop_assert_eq!(edits(&a, &b) == 0, a == b);
        }
    }
}
