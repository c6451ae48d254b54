//! The nearest right spelling of a word.

/// The candidate that is likely meant by `word`: fewest letters added, left out, changed or swapped, at most
/// a third of its length. Of equally near ones the first wins. `None` when none is near, or when one is the
/// word itself.
///
/// ```
/// use verger::engine::syntax::nearest;
/// assert_eq!(nearest("unles", ["when", "unless"]), Some("unless"));
/// assert_eq!(nearest("cow", ["when", "unless"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).take(64).collect();
    if letters.len() < 2 {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == word {
            return None;
        }
        let other: Vec<char> = candidate.chars().flat_map(char::to_lowercase).take(64).collect();
        let limit = letters.len().max(other.len()).div_ceil(3).min(3);
        let apart = distance(&letters, &other);
        if apart <= limit && apart < other.len() && best.is_none_or(|(least, _)| apart < least) {
            best = Some((apart, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Letters added, left out, changed, or swapped with their neighbour (optimal string alignment).
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut least = (at(&last, column + 1) + 1)
                .min(at(&next, column) + 1)
                .min(at(&last, column) + usize::from(a != b));
            let swapped =
                row > 0 && column > 0 && left.get(row - 1) == Some(b) && right.get(column - 1) == Some(a);
            if swapped {
                least = least.min(at(&before, column - 1) + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    last.last().copied().unwrap_or(0)
}
