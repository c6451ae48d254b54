//! HTTP, with limits: time, size before and after unpacking, redirects, and which addresses may be asked.
//!
//! Two clients: one that may ask addresses of the own machine and network, and one that may not, whatever a
//! name or a redirect leads to. An error never holds the address: it may be a secret.

use std::error::Error as _;
use std::io::Read as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::{Client, Method, Response, Url, redirect};

use crate::connectors::source::{Failure, HttpReply, HttpRequest, Validators};

/// Whole exchange.
const TIME_MAX: Duration = Duration::from_secs(60);
/// Until somebody answers.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// Redirects that are followed.
const REDIRECTS_MAX: usize = 5;
/// Who asks, where a source says nothing else.
const USER_AGENT: &str = concat!("Verger/", env!("CARGO_PKG_VERSION"));

/// The connections of all reads.
#[derive(Debug)]
pub(super) struct Clients {
    public: Client,
    any: Client,
}

impl Clients {
    pub(super) fn new() -> Result<Self, Failure> {
        let failed = |error: reqwest::Error| Failure::Broken(format!("no HTTP client: {}", reason(&error)));
        let base = || {
            Client::builder()
                .user_agent(USER_AGENT)
                .connect_timeout(CONNECT_TIME_MAX)
                .timeout(TIME_MAX)
                .pool_idle_timeout(Duration::from_secs(30))
                .referer(false)
        };
        let public =
            base().dns_resolver(Arc::new(PublicOnly)).redirect(policy(false)).build().map_err(failed)?;
        let any = base().redirect(policy(true)).build().map_err(failed)?;
        Ok(Self { public, any })
    }

    /// The client for an address.
    pub(super) fn of(&self, url: &Url, allow_private: bool) -> Result<&Client, Failure> {
        if !allow_private {
            is_public_host(url).map_err(|reason| Failure::Forbidden(reason.to_owned()))?;
        }
        Ok(if allow_private { &self.any } else { &self.public })
    }

    /// One exchange: also an answer that is no success is one.
    pub(super) async fn exchange(&self, request: &HttpRequest) -> Result<HttpReply, Failure> {
        if request.pause_ms > 0 {
            tokio::time::sleep(Duration::from_millis(request.pause_ms)).await;
        }
        let url = address(&request.url)?;
        let client = self.of(&url, request.allow_private)?;
        let method = Method::from_bytes(request.method.as_bytes())
            .map_err(|_| Failure::Broken(format!("no method `{}`", request.method)))?;
        let mut building = client.request(method, url).headers(headers(request)?);
        if let Some((user, password)) = &request.login {
            building = building.basic_auth(user, Some(password));
        }
        if let Some(body) = &request.body {
            building = building.body(body.clone());
        }
        let response = building.send().await.map_err(|error| failure(&error))?;
        reply(response, request.bytes_max).await
    }

    pub(super) async fn ping(&self, url: &str, allow_private: bool) -> Result<(), Failure> {
        let request = HttpRequest { bytes_max: 64 << 10, allow_private, ..HttpRequest::get(url) };
        let reply = self.exchange(&request).await?;
        crate::connectors::source::failure_of(reply.status, reply.retry_after).map_or(Ok(()), Err)
    }
}

/// `webcal` is `https`.
pub(super) fn address(text: &str) -> Result<Url, Failure> {
    let text =
        text.strip_prefix("webcal://").map_or_else(|| text.to_owned(), |rest| format!("https://{rest}"));
    let url = Url::parse(&text).map_err(|_| Failure::Forbidden("this is not an address".to_owned()))?;
    if ["http", "https"].contains(&url.scheme()) && url.host().is_some() {
        Ok(url)
    } else {
        Err(Failure::Forbidden("only `http` and `https` are asked".to_owned()))
    }
}

fn headers(request: &HttpRequest) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    let asked = [
        (header::IF_NONE_MATCH, &request.validators.etag),
        (header::IF_MODIFIED_SINCE, &request.validators.last_modified),
    ];
    for (name, text) in asked {
        // What a server once sent and cannot be sent back is as good as nothing.
        if let Some(value) = text.as_deref().and_then(|text| HeaderValue::from_str(text).ok()) {
            headers.insert(name, value);
        }
    }
    for (name, text) in &request.headers {
        let name = header::HeaderName::from_bytes(name.as_bytes());
        let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(text)) else {
            return Err(Failure::Broken("a header cannot be sent as it is written".to_owned()));
        };
        headers.insert(name, value);
    }
    Ok(headers)
}

async fn reply(mut response: Response, bytes_max: u64) -> Result<HttpReply, Failure> {
    let text = |name: header::HeaderName| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let validators = Validators { etag: text(header::ETAG), last_modified: text(header::LAST_MODIFIED) };
    let (content_type, encoding) = (text(header::CONTENT_TYPE), text(header::CONTENT_ENCODING));
    let retry_after = text(header::RETRY_AFTER).and_then(|seconds| seconds.trim().parse().ok());
    let (status, url) = (response.status().as_u16(), response.url().to_string());
    // What a server says about the length may be a lie, but not one that has to be believed.
    if response.content_length().is_some_and(|length| length > bytes_max) {
        return Err(Failure::TooLarge { bytes_max });
    }
    let mut packed = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
        if (packed.len() as u64).saturating_add(chunk.len() as u64) > bytes_max {
            return Err(Failure::TooLarge { bytes_max });
        }
        packed.extend_from_slice(&chunk);
    }
    let body = unpack(packed, encoding.as_deref(), bytes_max)?;
    Ok(HttpReply { status, url, content_type, validators, retry_after, body })
}

fn unpack(packed: Vec<u8>, encoding: Option<&str>, bytes_max: u64) -> Result<Vec<u8>, Failure> {
    match encoding.map(str::trim).unwrap_or_default().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(packed),
        "gzip" | "x-gzip" => {
            let mut body = Vec::new();
            let mut unpacking = flate2::read::MultiGzDecoder::new(&*packed).take(bytes_max.saturating_add(1));
            unpacking
                .read_to_end(&mut body)
                .map_err(|_| Failure::NotUnderstood("what came cannot be unpacked (gzip)".to_owned()))?;
            if body.len() as u64 > bytes_max { Err(Failure::TooLarge { bytes_max }) } else { Ok(body) }
        }
        _ => Err(Failure::NotUnderstood("what came is packed in a way that was not asked for".to_owned())),
    }
}

fn policy(allow_private: bool) -> redirect::Policy {
    redirect::Policy::custom(move |attempt| {
        let from_https = attempt.previous().last().is_some_and(|url| url.scheme() == "https");
        if attempt.previous().len() > REDIRECTS_MAX {
            attempt.error(Refused("it redirects too often"))
        } else if from_https && attempt.url().scheme() != "https" {
            attempt.error(Refused("it redirects from `https` to `http`"))
        } else if let Some(reason) = (!allow_private).then(|| is_public_host(attempt.url()).err()).flatten() {
            attempt.error(Refused(reason))
        } else {
            attempt.follow()
        }
    })
}

/// Why an address is not asked.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{0}")]
struct Refused(&'static str);

const PRIVATE: &str = "the address lies in the own machine or network: `allow-private = true` permits that";

/// A host that is written as a number; names are looked at when they are resolved.
fn is_public_host(url: &Url) -> Result<(), &'static str> {
    let private = match url.host() {
        Some(url::Host::Ipv4(ip)) => is_private(IpAddr::V4(ip)),
        Some(url::Host::Ipv6(ip)) => is_private(IpAddr::V6(ip)),
        _ => false,
    };
    if private { Err(PRIVATE) } else { Ok(()) }
}

/// Everything that is not the public network: loopback, private, link-local (cloud metadata too), shared,
/// benchmarking, multicast, reserved, and what maps IPv4 into IPv6.
fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_private_v4(ip),
        IpAddr::V6(ip) => is_private_v6(ip),
    }
}

fn is_private_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    ip.is_loopback()
        || ip.is_private()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_documentation()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b))
        || (a == 192 && b == 0 && c == 0)
}

fn is_private_v6(ip: Ipv6Addr) -> bool {
    let [a, b, ..] = ip.segments();
    if let Some(mapped) = ip.to_ipv4_mapped() {
        return is_private_v4(mapped);
    }
    let embedded = || {
        let [.., high, low] = ip.segments();
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        Ipv4Addr::new(a, b, c, d)
    };
    ip.is_loopback()
        || ip.is_unspecified()
        || ip.is_multicast()
        || ip.is_unique_local()
        || ip.is_unicast_link_local()
        || (a == 0x2001 && b == 0x0db8)
        || (a & 0xffc0 == 0xfec0)
        // NAT64 and 6to4 lead to an IPv4 address.
        || (a == 0x64 && b == 0xff9b && is_private_v4(embedded()))
        || a == 0x2002
}

/// Resolves names, and leaves out addresses that are not public.
#[derive(Clone, Copy, Debug)]
struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public: Vec<SocketAddr> = found.iter().copied().filter(|at| !is_private(at.ip())).collect();
            if public.is_empty() && !found.is_empty() {
                return Err(Refused(PRIVATE).into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// Why an exchange failed, without the address.
pub(super) fn failure(error: &reqwest::Error) -> Failure {
    if error.is_timeout() {
        let limit = if error.is_connect() { CONNECT_TIME_MAX } else { TIME_MAX };
        return Failure::TimedOut { seconds: limit.as_secs() };
    }
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(Refused(reason)) = cause.downcast_ref::<Refused>() {
            return Failure::Forbidden((*reason).to_owned());
        }
        source = cause.source();
    }
    Failure::Unreachable(reason(error))
}

/// The innermost cause: it speaks of the system, not of the address.
fn reason(error: &reqwest::Error) -> String {
    let mut innermost = error.source();
    while let Some(cause) = innermost.and_then(std::error::Error::source) {
        innermost = Some(cause);
    }
    let kind = if error.is_body() || error.is_decode() {
        "the answer broke off"
    } else if error.is_builder() {
        "the request cannot be built"
    } else {
        "the connection failed"
    };
    match innermost {
        // A mistake in a URL would be told with the URL.
        Some(cause) if !error.is_builder() => cause.to_string(),
        _ => kind.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_public_is_private() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "ff02::1",
        ] {
            assert!(is_private(private.parse().unwrap()), "{private}");
        }
        for public in
            ["1.1.1.1", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::101:101"]
        {
            assert!(!is_private(public.parse().unwrap()), "{public}");
        }
        for url in ["http://127.1/", "http://0x7f000001/", "http://2130706433/", "http://[::1]:80/"] {
            assert!(is_public_host(&Url::parse(url).unwrap()).is_err(), "{url}");
        }
    }

    #[test]
    fn a_bomb_is_cut_off() {
        use std::io::Write as _;
        let mut packing = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packing.write_all(&vec![b' '; 4 << 20]).unwrap();
        let packed = packing.finish().unwrap();
        assert!(packed.len() < 10_000);
        let unpacked = unpack(packed.clone(), Some("gzip"), 1 << 20);
        assert_eq!(unpacked, Err(Failure::TooLarge { bytes_max: 1 << 20 }));
        assert_eq!(unpack(packed, Some("gzip"), 4 << 20).unwrap().len(), 4 << 20);
        assert!(matches!(unpack(b"x".to_vec(), Some("gzip"), 9), Err(Failure::NotUnderstood(_))));
        assert!(matches!(unpack(b"x".to_vec(), Some("br"), 9), Err(Failure::NotUnderstood(_))));
    }
}
