//! What is asked: PROPFIND and REPORT with their XML.

use chrono::{DateTime, Utc};

use super::BODY_BYTES_MAX;
use crate::connectors::source::HttpRequest;

const PRINCIPAL: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<propfind xmlns="DAV:"><prop><current-user-principal/></prop></propfind>
"#;

const HOME: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<propfind xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><C:calendar-home-set/></prop></propfind>
"#;

const CALENDARS: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<propfind xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop>
<resourcetype/><displayname/><C:supported-calendar-component-set/>
</prop></propfind>
"#;

/// Who is logged in.
pub(super) fn principal() -> HttpRequest {
    asking("PROPFIND", "0", PRINCIPAL.to_owned())
}

/// Where somebody's calendars lie.
pub(super) fn home() -> HttpRequest {
    asking("PROPFIND", "0", HOME.to_owned())
}

/// Which calendars there are.
pub(super) fn calendars() -> HttpRequest {
    asking("PROPFIND", "1", CALENDARS.to_owned())
}

/// The resources of a calendar with an event that touches a time.
pub(super) fn events(from: DateTime<Utc>, to: DateTime<Utc>) -> HttpRequest {
    let [from, to] = [from, to].map(|at| at.format("%Y%m%dT%H%M%SZ"));
    let body = format!(
        r#"<?xml version="1.0" encoding="utf-8"?>
<C:calendar-query xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><C:calendar-data/></prop>
<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">
<C:time-range start="{from}" end="{to}"/>
</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>
"#
    );
    asking("REPORT", "1", body)
}

fn asking(method: &'static str, depth: &str, body: String) -> HttpRequest {
    let content = "application/xml; charset=utf-8".to_owned();
    HttpRequest {
        method,
        headers: vec![("Depth", depth.to_owned()), ("Content-Type", content)],
        body: Some(body),
        bytes_max: BODY_BYTES_MAX,
        ..HttpRequest::get("")
    }
}
