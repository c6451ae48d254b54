//! Answers of a WebDAV server: XML to what it says of each resource.
//!
//! Names count by namespace and local name, whatever the prefixes. A document type is refused, so that no
//! entity but the five of XML is ever read.
//!
//! Bounds: [`ELEMENTS_MAX`], [`DEPTH_MAX`].

use quick_xml::NsReader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};

/// Elements of an answer.
const ELEMENTS_MAX: usize = 500_000;
/// Elements in one another.
const DEPTH_MAX: usize = 32;

/// Why an answer cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadAnswer {
    #[error("the answer is a web page or another document, not one of a calendar server")]
    NotWebDav,
    #[error("the answer is not well-formed XML")]
    NotXml,
    #[error("the answer breaks off")]
    BreaksOff,
    #[error("the answer has more than {ELEMENTS_MAX} elements, or {DEPTH_MAX} in one another")]
    TooMuch,
}

/// Whose words an element's name is among.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Words {
    Dav,
    CalDav,
    #[default]
    Other,
}

/// An element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    words: Words,
    name: String,
    /// Its attribute `name`.
    named: Option<String>,
    /// Its own text, without that of the elements in it.
    text: String,
    children: Vec<Element>,
}

impl Element {
    fn of(space: &ResolveResult<'_>, tag: &BytesStart<'_>) -> Result<Self, BadAnswer> {
        let words = match space {
            ResolveResult::Bound(Namespace("DAV:")) => Words::Dav,
            ResolveResult::Bound(Namespace("urn:ietf:params:xml:ns:caldav")) => Words::CalDav,
            _ => Words::Other,
        };
        let named = tag.try_get_attribute("name").map_err(|_| BadAnswer::NotXml)?;
        let name = tag.local_name().as_ref().to_owned();
        Ok(Self { words, name, named: named.map(|value| value.value.into_owned()), ..Self::default() })
    }

    /// True when this is its name.
    pub(super) fn is(&self, words: Words, name: &str) -> bool {
        self.words == words && self.name == name
    }

    /// The elements in it that have a name.
    pub(super) fn all<'e>(&'e self, words: Words, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |child| child.is(words, name))
    }

    /// Its text without blanks around it.
    pub(super) fn text(&self) -> &str {
        self.text.trim()
    }

    /// Its attribute `name`.
    pub(super) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }
}

/// What a server says of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Resource {
    /// Where it is, relative to the address that answered.
    pub(super) href: String,
    /// A status of the whole resource, where that is said instead of properties.
    pub(super) status: Option<u16>,
    properties: Vec<Element>,
}

impl Resource {
    fn of(response: Element) -> Self {
        let mut resource = Self::default();
        for child in response.children {
            if child.is(Words::Dav, "href") && resource.href.is_empty() {
                child.text().clone_into(&mut resource.href);
            } else if child.is(Words::Dav, "status") {
                resource.status = status(&child);
            } else if child.is(Words::Dav, "propstat") {
                let said = child.all(Words::Dav, "status").next().and_then(status);
                // What the server does not have is listed too, under 404.
                if said.is_none_or(|status| (200..300).contains(&status)) {
                    let properties = child.children.into_iter().filter(|inner| inner.is(Words::Dav, "prop"));
                    resource.properties.extend(properties.flat_map(|inner| inner.children));
                }
            }
        }
        resource
    }

    /// A property that the server has.
    pub(super) fn property(&self, words: Words, name: &str) -> Option<&Element> {
        self.properties.iter().find(|property| property.is(words, name))
    }
}

/// The second word of `HTTP/1.1 200 OK`.
fn status(element: &Element) -> Option<u16> {
    element.text().split_whitespace().nth(1)?.parse().ok()
}

/// What an answer says, in its order.
pub(super) fn parse(body: &[u8]) -> Result<Vec<Resource>, BadAnswer> {
    let text = String::from_utf8_lossy(body);
    let mut document = tree(text.trim_start_matches('\u{feff}'))?;
    match document.children.pop() {
        Some(root) if root.is(Words::Dav, "multistatus") => {
            let responses = root.children.into_iter().filter(|child| child.is(Words::Dav, "response"));
            Ok(responses.map(Resource::of).collect())
        }
        _ => Err(BadAnswer::NotWebDav),
    }
}

/// The whole document in an element without a name.
fn tree(text: &str) -> Result<Element, BadAnswer> {
    let mut reader = NsReader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut inner = Element::default();
    let mut count = 0_usize;
    loop {
        let (space, event) = reader.read_resolved_event().map_err(|_| BadAnswer::NotXml)?;
        match event {
            Event::Start(tag) => {
                let element = Element::of(&space, &tag)?;
                open.push(std::mem::replace(&mut inner, element));
            }
            Event::Empty(tag) => inner.children.push(Element::of(&space, &tag)?),
            Event::End(_) => {
                let outer = open.pop().ok_or(BadAnswer::NotXml)?;
                let closed = std::mem::replace(&mut inner, outer);
                inner.children.push(closed);
            }
            Event::Text(text) => inner.text.push_str(&text.xml10_content()),
            Event::CData(text) => inner.text.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) => push_reference(&mut inner.text, &reference)?,
            Event::DocType(_) => return Err(BadAnswer::NotWebDav),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
            Event::Eof if open.is_empty() => return Ok(inner),
            Event::Eof => return Err(BadAnswer::BreaksOff),
        }
        count = count.saturating_add(1);
        // An element comes with at most a start, an end and a text.
        if count > ELEMENTS_MAX.saturating_mul(3) || open.len() > DEPTH_MAX {
            return Err(BadAnswer::TooMuch);
        }
    }
}

fn push_reference(text: &mut String, reference: &BytesRef<'_>) -> Result<(), BadAnswer> {
    match reference.resolve_char_ref() {
        Ok(Some(letter)) => text.push(letter),
        Ok(None) => text.push_str(resolve_predefined_entity(reference).ok_or(BadAnswer::NotXml)?),
        Err(_) => return Err(BadAnswer::NotXml),
    }
    Ok(())
}
