//! The steps of a read: who we are, where our calendars lie, which there are, what is in them.

use chrono::{DateTime, Days, Offset, Utc};
use url::Url;

use super::CALENDARS_MAX;
use super::address::{Server, elsewhere, same_origin};
use super::gather::Gathered;
use super::multistatus::{BadAnswer, Element, Resource, Words, parse};
use super::request;
use crate::config::Settings;
use crate::connectors::ics::source::CalendarWindow;
use crate::connectors::source::{
    Answer, Ask, Begin, Conversation, Failure, HttpReply, HttpRequest, Step, failure_of, unexpected,
};
use crate::engine::nearest::did_you_mean;

/// Places of calendars that an account may have.
const HOMES_MAX: usize = 5;
/// Characters of a calendar's name.
const NAME_MAX: usize = 100;

/// What was asked.
#[derive(Clone, Debug)]
enum Question {
    Principal,
    /// The same, where servers say where to begin; after this failure at the address itself.
    WellKnown(Failure),
    Home,
    Calendars,
    Events(Calendar),
}

/// A calendar of the account.
#[derive(Clone, Debug)]
struct Calendar {
    url: Url,
    name: String,
}

/// A read.
pub(super) struct CalDav {
    server: Result<Server, Failure>,
    login: Option<(String, String)>,
    allow_private: bool,
    wanted: Vec<String>,
    /// A day more on both sides than what is wanted, see [`CalDav::begin`].
    range: (DateTime<Utc>, DateTime<Utc>),
    /// What waits for an answer, and whether the login was repeated for it.
    asked: Option<(Question, Url, bool)>,
    /// Places that are still to be looked through, the last one first.
    homes: Vec<Url>,
    /// Calendars that were found; none any more as soon as it is chosen among them.
    found: Option<Vec<Calendar>>,
    /// Calendars that are still to be read, the last one first.
    waiting: Vec<Calendar>,
    gathered: Gathered,
}

impl CalDav {
    pub(super) fn begin(settings: &Settings, begin: &Begin) -> Self {
        let window = CalendarWindow::of(settings, begin);
        let all = window.shows_all();
        // A server does not know the owner's zone, in which times without one are meant: it may place them
        // up to 14 hours away. The importer cuts exactly.
        let from = all.from.checked_sub_days(Days::new(1)).unwrap_or(all.from);
        let to = all.to.checked_add_days(Days::new(1)).unwrap_or(all.to);
        let local = begin.at.with_timezone(&begin.zone);
        let at = local.with_timezone(&local.offset().fix());
        let login = settings.text("user").zip(settings.text("password"));
        Self {
            server: Server::of(settings.text("url").unwrap_or_default()),
            login: login.map(|(user, password)| (user.to_owned(), password.to_owned())),
            allow_private: settings.flag("allow-private"),
            wanted: settings.texts("calendars").to_vec(),
            range: (from, to),
            asked: None,
            homes: Vec::new(),
            found: Some(Vec::new()),
            waiting: Vec::new(),
            gathered: Gathered::new(window, at),
        }
    }

    fn ask(&mut self, question: Question, url: Url) -> Step {
        self.ask_once_more(question, url, false)
    }

    fn ask_once_more(&mut self, question: Question, url: Url, again: bool) -> Step {
        let request = match &question {
            Question::Principal | Question::WellKnown(_) => request::principal(),
            Question::Home => request::home(),
            Question::Calendars => request::calendars(),
            Question::Events(_) => request::events(self.range.0, self.range.1),
        };
        let step = Step::Ask(Ask::Http(HttpRequest {
            url: url.to_string(),
            login: self.login.clone(),
            allow_private: self.allow_private,
            ..request
        }));
        self.asked = Some((question, url, again));
        step
    }

    fn replied(&mut self, server: &Server, reply: &HttpReply) -> Result<Step, Failure> {
        let Some((question, url, again)) = self.asked.take() else {
            return Err(Failure::Broken("an answer came without a question".to_owned()));
        };
        let answered = Url::parse(&reply.url).unwrap_or_else(|_| url.clone());
        if !server.trusts(&answered) {
            return Err(elsewhere());
        }
        // A redirect to another host loses the login on its way.
        if reply.status == 401 && !again && !same_origin(&answered, &url) {
            return Ok(self.ask_once_more(question, answered, true));
        }
        let said = match failure_of(reply.status, reply.retry_after) {
            Some(failure) => Err(failure),
            None => parse(&reply.body).map_err(not_understood),
        };
        match question {
            Question::Principal => self.principal(server, said, &answered, None),
            Question::WellKnown(before) => self.principal(server, said, &answered, Some(before)),
            Question::Home => self.home(server, &said?, &answered),
            Question::Calendars => {
                self.calendars(server, &said?, &answered);
                self.go_on()
            }
            Question::Events(calendar) => {
                match said {
                    Ok(resources) => self.gathered.take(&calendar.name, resources)?,
                    // These are about the account or the server, not about this calendar.
                    Err(failure @ (Failure::Denied { status: 401 | 407 } | Failure::Busy { .. })) => {
                        return Err(failure);
                    }
                    Err(failure) => self.gathered.fail(&calendar.name, failure),
                }
                self.go_on()
            }
        }
    }

    fn principal(
        &mut self,
        server: &Server,
        said: Result<Vec<Resource>, Failure>,
        answered: &Url,
        before: Option<Failure>,
    ) -> Result<Step, Failure> {
        let failure = match said {
            Ok(resources) => {
                let named = |resource: &Resource| {
                    resource.property(Words::Dav, "current-user-principal").and_then(href).map(str::to_owned)
                };
                match resources.iter().find_map(named) {
                    Some(href) => return Ok(self.ask(Question::Home, server.lead(answered, &href)?)),
                    None => Failure::NotUnderstood(
                        "the server does not say who is logged in: is this a CalDAV address?".to_owned(),
                    ),
                }
            }
            // A login that is wrong here is wrong there too; 403 may be about this place alone.
            Err(failure @ (Failure::Denied { status: 401 | 407 } | Failure::Busy { .. })) => {
                return Err(failure);
            }
            Err(failure) => failure,
        };
        match before {
            None => Ok(self.ask(Question::WellKnown(failure), server.well_known())),
            Some(before) => Err(before),
        }
    }

    fn home(&mut self, server: &Server, said: &[Resource], answered: &Url) -> Result<Step, Failure> {
        let sets = said.iter().filter_map(|resource| resource.property(Words::CalDav, "calendar-home-set"));
        for href in sets.flat_map(|set| set.all(Words::Dav, "href")).take(HOMES_MAX) {
            self.homes.push(server.lead(answered, href.text())?);
        }
        self.homes.sort();
        self.homes.dedup();
        match self.homes.pop() {
            Some(url) => Ok(self.ask(Question::Calendars, url)),
            None => Err(Failure::NotUnderstood("the server does not say where the calendars lie".to_owned())),
        }
    }

    fn calendars(&mut self, server: &Server, said: &[Resource], answered: &Url) {
        for resource in said.iter().filter(|resource| holds_events(resource)) {
            let shown = resource.property(Words::Dav, "displayname").map_or("", Element::text);
            let name = tidy(if shown.is_empty() { &resource.href } else { shown });
            match server.lead(answered, &resource.href) {
                Ok(url) => self.found.get_or_insert_default().push(Calendar { url, name }),
                Err(failure) => self.gathered.fail(&name, failure),
            }
        }
    }

    /// The next place of calendars, the next calendar, or the end.
    fn go_on(&mut self) -> Result<Step, Failure> {
        if let Some(url) = self.homes.pop() {
            return Ok(self.ask(Question::Calendars, url));
        }
        if let Some(found) = self.found.take() {
            self.waiting = self.choose(found)?;
        }
        match self.waiting.pop() {
            Some(calendar) => {
                let url = calendar.url.clone();
                Ok(self.ask(Question::Events(calendar), url))
            }
            None => self.gathered.finish().map(Step::Done),
        }
    }

    /// The calendars that are wanted, the last one first: in the order of the settings, then by address.
    fn choose(&mut self, mut found: Vec<Calendar>) -> Result<Vec<Calendar>, Failure> {
        if found.is_empty() {
            let none = Failure::NotUnderstood("the account has no calendar that holds events".to_owned());
            return self.gathered.failure().map_or(Err(none), Err);
        }
        found.sort_by(|a, b| a.url.cmp(&b.url));
        found.dedup_by(|a, b| a.url == b.url);
        if !self.wanted.is_empty() {
            let names: Vec<String> = found.iter().map(|calendar| calendar.name.clone()).collect();
            let wanted: Vec<String> = self.wanted.iter().map(|name| tidy(name)).collect();
            let place = |calendar: &Calendar| wanted.iter().position(|name| *name == calendar.name);
            found.retain(|calendar| place(calendar).is_some());
            found.sort_by_key(place);
            let missing: Vec<String> = wanted
                .iter()
                .filter(|name| !names.contains(name))
                .map(|name| missing(name, &names))
                .collect();
            if found.is_empty() {
                return Err(Failure::NotUnderstood(missing.join("; ")));
            }
            missing.into_iter().for_each(|note| self.gathered.miss(note));
        }
        if found.len() > CALENDARS_MAX {
            self.gathered.miss(format!("only {CALENDARS_MAX} of {} calendars were read", found.len()));
            found.truncate(CALENDARS_MAX);
        }
        found.reverse();
        Ok(found)
    }
}

impl Conversation for CalDav {
    fn next(&mut self, answer: Option<Answer>) -> Result<Step, Failure> {
        let server = self.server.clone()?;
        match answer {
            None => Ok(self.ask(Question::Principal, server.root())),
            Some(Answer::Http(reply)) => self.replied(&server, &reply),
            Some(other) => Err(unexpected(&other)),
        }
    }
}

fn not_understood(error: BadAnswer) -> Failure {
    Failure::NotUnderstood(error.to_string())
}

fn href(property: &Element) -> Option<&str> {
    property.all(Words::Dav, "href").map(Element::text).find(|text| !text.is_empty())
}

/// A calendar that says nothing of what it holds may hold everything (RFC 4791, 5.2.3).
fn holds_events(resource: &Resource) -> bool {
    let kinds = resource.property(Words::Dav, "resourcetype");
    let set = resource.property(Words::CalDav, "supported-calendar-component-set");
    kinds.is_some_and(|kinds| kinds.all(Words::CalDav, "calendar").next().is_some())
        && set.is_none_or(|set| {
            let mut kinds = set.all(Words::CalDav, "comp").filter_map(Element::named);
            kinds.any(|kind| kind.eq_ignore_ascii_case("VEVENT"))
        })
}

/// A name on one line.
fn tidy(name: &str) -> String {
    let plain: String = name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(NAME_MAX).collect()
}

/// That a calendar of the settings is not there.
fn missing(name: &str, names: &[String]) -> String {
    match did_you_mean(name, names.iter().map(String::as_str)) {
        Some(question) => format!("no calendar is called `{name}`, {question}"),
        None => {
            let there: Vec<String> =
                names.iter().take(CALENDARS_MAX).map(|name| format!("`{name}`")).collect();
            format!("no calendar is called `{name}`, there are {}", there.join(", "))
        }
    }
}
