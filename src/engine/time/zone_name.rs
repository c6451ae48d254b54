//! Names of zones. Exact IANA names only; for anything else the nearest name is offered, never taken.

use chrono_tz::TZ_VARIANTS;

use super::Zone;
use crate::engine::nearest::edits;

/// Longer names are not compared, in bytes.
const NAME_BOUND: usize = 64;

impl Zone {
    /// The zone with exactly this IANA name, such as `America/Toronto`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok().map(Self)
    }

    /// Its IANA name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The IANA name nearest to a misspelt one, if any is near. A city alone (`Toronto`, `new york`) is
    /// near to the name that ends in it; blanks stand for underscores and letter case does not count.
    #[must_use]
    pub fn suggest(name: &str) -> Option<String> {
        if name.is_empty() || name.len() > NAME_BOUND {
            return None;
        }
        let wanted: Vec<char> = folded(name).collect();
        let limit = (wanted.len() / 4).max(1);
        TZ_VARIANTS
            .iter()
            .filter_map(|zone| {
                let known: Vec<char> = folded(zone.name()).collect();
                let city = known.rsplit(|letter| *letter == '/').next().unwrap_or(&known);
                let whole = edits(&wanted, &known);
                let far = whole.min(edits(&wanted, city));
                // Of names that end in the same city, the one whose region is nearer too.
                (far <= limit).then(|| (far, whole, zone.name()))
            })
            .min()
            .map(|(_, _, known)| known.to_owned())
    }
}

fn folded(name: &str) -> impl Iterator<Item = char> {
    name.trim().chars().map(|letter| if letter == ' ' { '_' } else { letter.to_ascii_lowercase() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_names_are_zones() {
        assert_eq!(Zone::parse("America/Toronto").map(Zone::name), Some("America/Toronto"));
        assert_eq!(Zone::parse("america/toronto"), None);
        assert_eq!(Zone::parse("Toronto"), None);
        assert_eq!(Zone::parse(""), None);
    }

    #[test]
    fn the_nearest_name_is_offered() {
        let cases = [
            ("america/toronto", "America/Toronto"),
            ("America/Tornto", "America/Toronto"),
            ("Toronto", "America/Toronto"),
            ("new york", "America/New_York"),
            ("Europe/Berln", "Europe/Berlin"),
            ("Asia/Tokio", "Asia/Tokyo"),
            ("utc", "UTC"),
        ];
        for (written, near) in cases {
            assert_eq!(Zone::suggest(written).as_deref(), Some(near), "{written}");
        }
        assert_eq!(Zone::suggest("Middle/Earth/Shire"), None);
        assert_eq!(Zone::suggest(&"x".repeat(1000)), None);
    }
}
