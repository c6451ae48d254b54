//! Entries of RSS 0.9x, 1.0 and 2.0 and Atom 0.3 and 1.0 from text that should be XML.
//!
//! Reads what most feed readers read: undeclared prefixes and entities, bare `&`, tags that are not closed or
//! not opened, junk before the document, no `version`. Not a validator, and no reader of whole feeds: only
//! what makes news of an entry is looked at, so that one odd element never costs the others.
//!
//! Bad input: a document that breaks off gives the entries that were whole, and says so. Limits:
//! [`ENTRIES_MAX`], [`DEPTH_MAX`], [`FIELD_MAX`], [`ATTRIBUTES_MAX`].

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use url::Url;

use super::entry::{Entry, Written};
use super::names::{Ns, Scope};
use crate::connectors::news::text::reference;

/// Entries of a document.
pub(super) const ENTRIES_MAX: usize = 2_000;
/// Elements inside of each other.
pub(super) const DEPTH_MAX: usize = 200;
/// Bytes of one text of an entry.
pub(super) const FIELD_MAX: usize = 64 << 10;
/// Attributes of an element.
pub(super) const ATTRIBUTES_MAX: usize = 50;
/// Bytes in which the document may begin.
const JUNK_MAX: usize = 16 << 10;

/// What a document holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// In the document's order.
    pub(super) entries: Vec<Entry>,
    /// True when it breaks off.
    pub(super) broken: bool,
    /// Entries beyond [`ENTRIES_MAX`].
    pub(super) beyond: usize,
}

/// Reads a document.
///
/// # Errors
/// The name of the first element when that is none of a feed; empty when there is no element at all.
pub(super) fn read(text: &str, base: Option<&Url>) -> Result<Document, String> {
    match read_from(text, base) {
        Err(root) => match feed_behind_junk(text) {
            Some(rest) => read_from(rest, base),
            None => Err(root),
        },
        read => read,
    }
}

/// Where a feed begins behind what a server printed before it.
fn feed_behind_junk(text: &str) -> Option<&str> {
    let head = text.get(..text.floor_char_boundary(JUNK_MAX))?.to_ascii_lowercase();
    let begins = |name: &str| {
        let mut found = head.match_indices(name);
        found.find(|(at, _)| {
            let next = at.checked_add(name.len()).and_then(|end| head.as_bytes().get(end));
            next.is_some_and(|next| next.is_ascii_whitespace() || *next == b'>')
        })
    };
    let at = ["<rss", "<feed", "<rdf:rdf"].iter().filter_map(|name| begins(name)).map(|(at, _)| at).min()?;
    text.get(at..)
}

fn read_from(text: &str, base: Option<&Url>) -> Result<Document, String> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    config.check_comments = false;
    let mut open = OpenDocument::new(base);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                if open.stack.len() >= DEPTH_MAX {
                    open.document.broken = true;
                    break;
                }
                open.start(&tag)?;
            }
            Ok(Event::Empty(tag)) => {
                open.start(&tag)?;
                open.close_to(open.stack.len().saturating_sub(1));
            }
            Ok(Event::End(tag)) => open.end(tag.name().as_ref()),
            Ok(Event::Text(text)) => open.text(&text),
            Ok(Event::CData(text)) => open.text(&text),
            Ok(Event::GeneralRef(name)) => match reference(&name) {
                Some(resolved) => open.text(&resolved),
                None => open.text(&format!("&{};", &*name)),
            },
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(_) => {
                open.document.broken = true;
                break;
            }
        }
    }
    open.finish()
}

/// An element that is open.
struct Open {
    /// With its prefix, in small letters.
    name: String,
    base: Option<Url>,
}

/// What a text is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Title(u8),
    Summary(u8),
    Link(u8),
    Guid { is_link: bool },
    Published(u8),
    Updated(u8),
}

/// How a text lies in its element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lies {
    /// As letters.
    Plain,
    /// As letters of markup.
    Escaped,
    /// As elements.
    Inline,
    /// As something else.
    Packed,
}

/// A text under way.
struct Capture {
    /// Elements that are open outside of it.
    depth: usize,
    field: Field,
    lies: Lies,
    text: String,
}

struct OpenDocument {
    base: Option<Url>,
    stack: Vec<Open>,
    scope: Scope,
    /// The entry under way, and how many elements are open outside of it.
    entry: Option<(usize, Entry)>,
    capture: Option<Capture>,
    seen_root: bool,
    document: Document,
}

impl OpenDocument {
    fn new(base: Option<&Url>) -> Self {
        Self {
            base: base.cloned(),
            stack: Vec::new(),
            scope: Scope::default(),
            entry: None,
            capture: None,
            seen_root: false,
            document: Document::default(),
        }
    }

    fn base(&self) -> Option<&Url> {
        self.stack.iter().rev().find_map(|open| open.base.as_ref()).or(self.base.as_ref())
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), String> {
        let attributes = attributes(tag);
        let name = tag.name().as_ref().to_ascii_lowercase();
        let depth = self.stack.len();
        self.scope.declare(depth, &attributes);
        let (ns, local) = self.scope.resolve(&name);
        if !self.seen_root {
            let roots = ["rss", "rdf", "feed", "channel", "entry", "item"];
            if !roots.contains(&local) {
                return Err(local.chars().filter(char::is_ascii_alphanumeric).take(20).collect());
            }
            self.seen_root = true;
        }
        let local = local.to_owned();
        let base = value(&attributes, "xml:base").and_then(|written| match self.base() {
            Some(base) => base.join(written).ok(),
            None => Url::parse(written).ok(),
        });
        self.stack.push(Open { name, base });
        if let Some(capture) = &mut self.capture {
            if capture.lies == Lies::Plain {
                capture.lies = Lies::Escaped;
            }
            push(&mut capture.text, &format!("<{local}>"));
            return Ok(());
        }
        match &self.entry {
            Some((outside, _)) if depth == outside.saturating_add(1) => self.field(ns, &local, &attributes),
            Some(_) => {}
            None if ns.is_main() && matches!(local.as_str(), "item" | "entry") => {
                let mut entry = Entry::default();
                if let Some(about) = value(&attributes, "rdf:about") {
                    entry.set_guid(1, about);
                }
                self.entry = Some((depth, entry));
            }
            None => {}
        }
        Ok(())
    }

    /// A child of an entry begins.
    fn field(&mut self, ns: Ns, local: &str, attributes: &[(String, String)]) {
        if ns.is_main() && local == "link" && value(attributes, "href").is_some() {
            return self.atom_link(attributes);
        }
        let field = match (ns, local) {
            (Ns::Core | Ns::Atom, "title") => Field::Title(0),
            (Ns::Core, "link") => Field::Link(0),
            (Ns::Core, "guid") => {
                let is_link = value(attributes, "ispermalink")
                    .is_none_or(|word| !word.trim().eq_ignore_ascii_case("false"));
                Field::Guid { is_link }
            }
            (Ns::Core | Ns::Atom, "id") => Field::Guid { is_link: false },
            (Ns::Core | Ns::Atom, "description" | "summary") => Field::Summary(0),
            (Ns::Core | Ns::Atom, "content") => Field::Summary(1),
            (Ns::Core | Ns::Atom, "pubdate" | "published" | "issued") => Field::Published(0),
            (Ns::Core | Ns::Atom, "updated" | "modified" | "lastbuilddate") => Field::Updated(0),
            (Ns::Core | Ns::Atom, "created") => Field::Published(2),
            (Ns::Dc, "title") => Field::Title(1),
            (Ns::Dc, "description") => Field::Summary(2),
            (Ns::Dc, "date" | "issued") => Field::Published(1),
            (Ns::Dc, "created") => Field::Published(2),
            (Ns::Dc, "modified") => Field::Updated(1),
            (Ns::Content, "encoded") | (Ns::Xhtml | Ns::Core, "body" | "fullitem") => Field::Summary(3),
            _ => return,
        };
        let lies = lies(ns, self.is_atom(), attributes);
        let depth = self.stack.len().saturating_sub(1);
        self.capture = Some(Capture { depth, field, lies, text: String::new() });
    }

    fn is_atom(&self) -> bool {
        let Some((outside, _)) = &self.entry else { return false };
        self.stack.get(*outside).is_some_and(|open| open.name.ends_with("entry"))
    }

    fn atom_link(&mut self, attributes: &[(String, String)]) {
        let rel = value(attributes, "rel").unwrap_or("alternate").trim().to_ascii_lowercase();
        let kind = value(attributes, "type").unwrap_or("text/html");
        let Some(href) = value(attributes, "href") else { return };
        let whole = self.whole(href);
        let Some((_, entry)) = &mut self.entry else { return };
        match (rel.as_str(), kind) {
            ("alternate" | "", "text/html" | "application/xhtml+xml") => entry.set_link(0, &whole),
            ("alternate" | "", _) => entry.set_link(1, &whole),
            _ => {}
        }
    }

    /// An address under the base that holds here.
    fn whole(&self, written: &str) -> String {
        let written = written.trim();
        match (Url::parse(written), self.base()) {
            (Err(url::ParseError::RelativeUrlWithoutBase), Some(base)) => {
                base.join(written).map_or_else(|_| written.to_owned(), String::from)
            }
            _ => written.to_owned(),
        }
    }

    fn text(&mut self, text: &str) {
        let Some(capture) = &mut self.capture else { return };
        if capture.lies == Lies::Inline {
            push(&mut capture.text, &text.replace('&', "&amp;").replace('<', "&lt;"));
        } else {
            push(&mut capture.text, text);
        }
    }

    fn end(&mut self, name: &str) {
        let name = name.trim_end();
        let found = self.stack.iter().rposition(|open| open.name.eq_ignore_ascii_case(name));
        // One that was never opened closes nothing.
        let Some(depth) = found else { return };
        self.close_to(depth);
        if let Some(capture) = &mut self.capture {
            let local = name.rsplit(':').next().unwrap_or(name);
            push(&mut capture.text, &format!("</{local}>"));
        }
    }

    /// Closes elements until so many are open.
    fn close_to(&mut self, depth: usize) {
        if let Some(capture) = self.capture.take_if(|capture| capture.depth >= depth) {
            self.take(capture);
        }
        if let Some((_, entry)) = self.entry.take_if(|(outside, _)| *outside >= depth) {
            if self.document.entries.len() < ENTRIES_MAX {
                self.document.entries.push(entry);
            } else {
                self.document.beyond = self.document.beyond.saturating_add(1);
            }
        }
        self.stack.truncate(depth);
        self.scope.close_to(depth);
    }

    fn take(&mut self, capture: Capture) {
        let Capture { field, lies, text, .. } = capture;
        if lies == Lies::Packed {
            return;
        }
        let written = if lies == Lies::Plain { Written::Plain } else { Written::Markup };
        let link = match field {
            Field::Link(_) | Field::Guid { .. } => self.whole(&text),
            _ => String::new(),
        };
        let Some((_, entry)) = &mut self.entry else { return };
        match field {
            Field::Title(rank) => entry.set_title(rank, written, text),
            Field::Summary(rank) => entry.set_summary(rank, written, text),
            Field::Published(rank) => entry.set_published(rank, &text),
            Field::Updated(rank) => entry.set_updated(rank, &text),
            Field::Link(rank) => entry.set_link(rank, &link),
            Field::Guid { is_link } => {
                entry.set_guid(0, &text);
                if is_link {
                    entry.set_link(2, &link);
                }
            }
        }
    }

    fn finish(mut self) -> Result<Document, String> {
        if !self.seen_root {
            return Err(String::new());
        }
        // What is open at the end was not written to its end.
        self.document.broken |= !self.stack.is_empty();
        Ok(self.document)
    }
}

fn push(text: &mut String, more: &str) {
    let room = FIELD_MAX.saturating_sub(text.len());
    text.push_str(more.get(..more.floor_char_boundary(room)).unwrap_or_default());
}

/// By name in small letters.
fn attributes(tag: &BytesStart<'_>) -> Vec<(String, String)> {
    let mut attributes = tag.attributes();
    // Looking for doubles costs the square of their number.
    let sound = attributes.with_checks(false).take(ATTRIBUTES_MAX).filter_map(Result::ok);
    sound
        .map(|attribute| {
            let value = crate::connectors::news::text::references(&attribute.value);
            (attribute.key.as_ref().to_ascii_lowercase(), value)
        })
        .collect()
}

fn value<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// How a text lies: RSS writes HTML, Atom says what it writes.
fn lies(ns: Ns, atom: bool, attributes: &[(String, String)]) -> Lies {
    if !atom && ns != Ns::Atom {
        return Lies::Escaped;
    }
    let kind = value(attributes, "type").unwrap_or("text").trim().to_ascii_lowercase();
    let mode = value(attributes, "mode").map(str::trim).unwrap_or_default();
    match kind.as_str() {
        _ if mode.eq_ignore_ascii_case("base64") => Lies::Packed,
        "text" | "text/plain" | "plain" | "" => Lies::Plain,
        "html" | "text/html" => Lies::Escaped,
        "application/xhtml+xml" | "application/xml" if mode.eq_ignore_ascii_case("escaped") => Lies::Escaped,
        kind if kind == "xhtml" || kind.ends_with("xml") => Lies::Inline,
        kind if kind.starts_with("text/") => Lies::Plain,
        _ => Lies::Packed,
    }
}
