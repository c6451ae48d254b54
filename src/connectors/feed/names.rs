//! Which vocabulary an element of a feed is from.
//!
//! A feed's own elements have no prefix or one of the addresses that RSS and Atom were published under; a
//! default address that nobody knows is taken as the feed's own. What belongs to another vocabulary is never
//! taken for the feed's: a picture's title is not the entry's.
//!
//! Invariant: at most [`BINDINGS_MAX`] prefixes are held.

/// Prefixes that are declared at once.
const BINDINGS_MAX: usize = 60;

/// Vocabularies that matter for news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ns {
    /// RSS, or whatever the feed speaks.
    Core,
    /// Atom, any version.
    Atom,
    /// Dublin Core, elements and terms.
    Dc,
    /// The module for whole contents.
    Content,
    /// XHTML.
    Xhtml,
    /// Any other.
    Other,
}

impl Ns {
    /// True for the words of a feed itself.
    #[must_use]
    pub(super) fn is_main(self) -> bool {
        matches!(self, Self::Core | Self::Atom)
    }
}

/// What the addresses of a vocabulary begin with, in small letters.
const ADDRESSES: &[(&str, Ns)] = &[
    ("http://purl.org/rss/1.0/modules/content", Ns::Content),
    ("http://purl.org/rss/1.0/modules/", Ns::Other),
    ("http://purl.org/rss/1.0", Ns::Core),
    ("http://purl.org/net/rss1.1", Ns::Core),
    ("http://my.netscape.com/", Ns::Core),
    ("http://channel.netscape.com/", Ns::Core),
    ("http://backend.userland.com/", Ns::Core),
    ("http://blogs.law.harvard.edu/tech/rss", Ns::Core),
    ("http://my.userland.com/", Ns::Core),
    ("http://cyber.law.harvard.edu/rss", Ns::Core),
    ("http://www.rssboard.org/rss-specification", Ns::Core),
    ("http://www.w3.org/2005/atom", Ns::Atom),
    ("https://www.w3.org/2005/atom", Ns::Atom),
    ("http://purl.org/atom/", Ns::Atom),
    ("http://example.com/newformat#", Ns::Atom),
    ("http://necho.sourceforge.net/", Ns::Atom),
    ("http://purl.org/echo/", Ns::Atom),
    ("uri/of/echo/namespace#", Ns::Atom),
    ("http://purl.org/pie/", Ns::Atom),
    ("http://purl.org/dc/", Ns::Dc),
    ("http://www.w3.org/1999/xhtml", Ns::Xhtml),
];

/// Prefixes that mean one thing even where they are not declared.
const PREFIXES: &[(&str, Ns)] = &[
    ("rss", Ns::Core),
    ("atom", Ns::Atom),
    ("atom10", Ns::Atom),
    ("a10", Ns::Atom),
    ("dc", Ns::Dc),
    ("dcterms", Ns::Dc),
    ("content", Ns::Content),
    ("xhtml", Ns::Xhtml),
];

/// The prefixes that hold at a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Depth of the element that declares it, prefix, meaning.
    bindings: Vec<(usize, String, Ns)>,
}

impl Scope {
    /// Takes the declarations of an element.
    pub(super) fn declare(&mut self, depth: usize, attributes: &[(String, String)]) {
        for (key, address) in attributes {
            let prefix = match key.strip_prefix("xmlns") {
                Some("") => "",
                Some(rest) => match rest.strip_prefix(':') {
                    Some(prefix) => prefix,
                    None => continue,
                },
                None => continue,
            };
            if self.bindings.len() < BINDINGS_MAX {
                self.bindings.push((depth, prefix.to_owned(), meaning(prefix, address)));
            }
        }
    }

    /// Forgets what was declared by elements that are closed.
    pub(super) fn close_to(&mut self, depth: usize) {
        self.bindings.retain(|(declared, _, _)| *declared < depth);
    }

    /// Vocabulary and name of an element.
    #[must_use]
    pub(super) fn resolve<'n>(&self, name: &'n str) -> (Ns, &'n str) {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let bound = self.bindings.iter().rev().find(|(_, known, _)| known == prefix).map(|(_, _, ns)| *ns);
        let ns = bound.unwrap_or_else(|| {
            let known = PREFIXES.iter().find(|(known, _)| *known == prefix).map(|(_, ns)| *ns);
            if prefix.is_empty() { Ns::Core } else { known.unwrap_or(Ns::Other) }
        });
        (ns, local)
    }
}

fn meaning(prefix: &str, address: &str) -> Ns {
    let address = address.trim().to_ascii_lowercase();
    let known = ADDRESSES.iter().find(|(begin, _)| address.starts_with(begin)).map(|(_, ns)| *ns);
    known.unwrap_or(if prefix.is_empty() { Ns::Core } else { Ns::Other })
}
