//! The nearest right spelling of a word.

/// The candidate with the fewest edits, if they are few for the word's length; ties go to the first.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LENGTH_MAX).flat_map(char::to_lowercase).collect();
    let few = word.len().div_ceil(3);
    candidates
        .into_iter()
        .map(|candidate| (edits(&word, candidate), candidate))
        .filter(|(count, _)| *count <= few)
        .min_by_key(|(count, _)| *count)
        .map(|(_, candidate)| candidate)
}

/// Longer words are compared by their beginning only.
const LENGTH_MAX: usize = 64;

/// Insertions, deletions and replacements (Levenshtein), case ignored.
fn edits(word: &[char], candidate: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (line, letter) in candidate.chars().take(LENGTH_MAX).flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = line;
        let mut left = line.saturating_add(1);
        for (cell, own) in row.iter_mut().zip([None].into_iter().chain(word.iter().map(Some))) {
            let Some(own) = own else {
                *cell = left;
                continue;
            };
            let replaced = diagonal.saturating_add(usize::from(*own != letter));
            diagonal = *cell;
            left = replaced.min(left.saturating_add(1)).min(cell.saturating_add(1));
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_slips_and_nothing_far() {
        let zones = ["America/Toronto", "Asia/Tokyo", "Europe/Berlin"];
        assert_eq!(nearest("america/torronto", zones), Some("America/Toronto"));
        assert_eq!(nearest("Asia/Tokio", zones), Some("Asia/Tokyo"));
        assert_eq!(nearest("Mars/Base", zones), None);
        assert_eq!(nearest("", zones), None);
    }
}
