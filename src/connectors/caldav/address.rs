//! Which addresses the login may be sent to.
//!
//! A server says where things lie, also on other hosts: iCloud keeps each account's calendars on a host of
//! its own. So trust is the configured host itself, or over `https` any host that shares its last two labels.
//! That adds little to the trust that the configured host has anyway: it knows the password, and it is the
//! one that names the other.

use url::{Host, Url};

use crate::connectors::source::Failure;

/// The server as it was configured.
#[derive(Clone, Debug)]
pub(super) struct Server {
    root: Url,
}

impl Server {
    /// `webcal` is `https`; a name and password in the address itself are not used.
    pub(super) fn of(text: &str) -> Result<Self, Failure> {
        let text =
            text.strip_prefix("webcal://").map_or_else(|| text.to_owned(), |rest| format!("https://{rest}"));
        match Url::parse(&text) {
            Ok(root) if root.host().is_some() && ["http", "https"].contains(&root.scheme()) => {
                Ok(Self { root: plain(root) })
            }
            _ => Err(Failure::Forbidden("`url` is not an address".to_owned())),
        }
    }

    /// Where to begin.
    pub(super) fn root(&self) -> Url {
        self.root.clone()
    }

    /// Where servers say where to begin (RFC 6764).
    pub(super) fn well_known(&self) -> Url {
        self.root.join("/.well-known/caldav").unwrap_or_else(|_| self.root.clone())
    }

    /// True for hosts that may see the login.
    pub(super) fn trusts(&self, url: &Url) -> bool {
        same_origin(url, &self.root)
            || (url.scheme() == "https"
                && match (last_two(url), last_two(&self.root)) {
                    (Some(theirs), Some(ours)) => theirs == ours,
                    _ => url.host() == self.root.host(),
                })
    }

    /// What a reference in an answer means, where that may be asked.
    pub(super) fn lead(&self, answered: &Url, href: &str) -> Result<Url, Failure> {
        let url = answered.join(href.trim()).map(plain);
        let url = url.map_err(|_| Failure::NotUnderstood("the server names no proper address".to_owned()))?;
        if self.trusts(&url) { Ok(url) } else { Err(elsewhere()) }
    }
}

/// Why another host is not asked.
pub(super) fn elsewhere() -> Failure {
    Failure::Forbidden(
        "the server leads to a host that does not belong to it, where the password is not sent: \
         write the address of the calendars themselves as `url`"
            .to_owned(),
    )
}

pub(super) fn same_origin(a: &Url, b: &Url) -> bool {
    a.scheme() == b.scheme() && a.host() == b.host() && a.port_or_known_default() == b.port_or_known_default()
}

/// Such as `icloud.com`; nothing for a number or a host without a dot.
fn last_two(url: &Url) -> Option<(String, String)> {
    let Some(Host::Domain(name)) = url.host() else { return None };
    let mut labels = name.trim_end_matches('.').rsplit('.').map(str::to_owned);
    let (last, second) = (labels.next()?, labels.next()?);
    Some((second, last))
}

fn plain(mut url: Url) -> Url {
    // These fail only where there is nobody to log in, and then there is nothing to take away.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trusts(configured: &str, asked: &str) -> bool {
        Server::of(configured).unwrap().trusts(&Url::parse(asked).unwrap())
    }

    #[test]
    fn the_login_stays_with_the_server() {
        for (configured, asked, trusted) in [
            ("https://caldav.icloud.com", "https://p42-caldav.icloud.com:443/1/principal/", true),
            ("https://caldav.icloud.com", "http://caldav.icloud.com/", false),
            ("https://caldav.icloud.com", "https://icloud.com.evil.org/", false),
            ("https://caldav.icloud.com", "https://evilicloud.com/", false),
            ("http://example.org/dav/", "https://example.org/dav/", true),
            ("http://example.org/dav/", "http://example.org:8080/dav/", false),
            ("http://example.org/dav/", "http://cal.example.org/dav/", false),
            ("http://127.0.0.1:5232", "http://127.0.0.1:5232/me/", true),
            ("http://127.0.0.1:5232", "http://127.0.0.1:5233/me/", false),
            ("https://10.0.0.1", "https://11.0.0.1/", false),
            ("https://nas/", "https://box/", false),
            ("https://nas/", "https://nas:8443/", true),
            ("webcal://example.org/x", "https://example.org/", true),
        ] {
            assert_eq!(trusts(configured, asked), trusted, "{configured} {asked}");
        }
    }

    #[test]
    fn references_are_read_against_the_answering_address() {
        let server = Server::of("https://me:pw@caldav.icloud.com").unwrap();
        assert_eq!(server.root().as_str(), "https://caldav.icloud.com/");
        assert_eq!(server.well_known().as_str(), "https://caldav.icloud.com/.well-known/caldav");
        let answered = Url::parse("https://p42-caldav.icloud.com/1/calendars/").unwrap();
        for (href, url) in [
            ("/1/calendars/study/", "https://p42-caldav.icloud.com/1/calendars/study/"),
            (" abc/ ", "https://p42-caldav.icloud.com/1/calendars/abc/"),
            ("https://x:y@p7-caldav.icloud.com:443/1/#a", "https://p7-caldav.icloud.com/1/"),
        ] {
            assert_eq!(server.lead(&answered, href).unwrap().as_str(), url);
        }
        assert_eq!(server.lead(&answered, "//evil.org/x"), Err(elsewhere()));
        assert!(Server::of("ftp://example.org").is_err() && Server::of("").is_err());
    }
}
