//! Notices of the desktop (freedesktop.org, macOS). One that cannot be shown is told, and never stops a
//! message that was shown elsewhere.

#[cfg(all(unix, not(target_os = "macos")))]
use notify_rust::{Hint, Urgency};
use notify_rust::{Notification, Timeout};

/// Characters of a title and of a text; more is not readable in a corner of a screen.
const TITLE_MAX: usize = 100;
const TEXT_MAX: usize = 500;

/// A notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Its headline.
    pub title: String,
    /// Its text.
    pub text: String,
    /// True for what may make a sound.
    pub loud: bool,
}

/// Shows a notice, and waits for the desktop meanwhile.
///
/// # Errors
/// When there is no desktop, or it does not answer; in the words of the system.
pub fn show(notice: &Notice) -> Result<(), String> {
    let mut building = Notification::new();
    building
        .appname("Verger")
        .summary(&shortened(&notice.title, TITLE_MAX))
        .body(&escaped(&shortened(&notice.text, TEXT_MAX)))
        .timeout(Timeout::Default);
    #[cfg(all(unix, not(target_os = "macos")))]
    building
        .hint(Hint::Category("im.received".to_owned()))
        .hint(Hint::SuppressSound(!notice.loud))
        .urgency(if notice.loud { Urgency::Critical } else { Urgency::Normal });
    building.show().map(|_| ()).map_err(|error| error.to_string())
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

/// A desktop may read markup in a text; what a rule says holds none.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
