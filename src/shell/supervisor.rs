//! What the service manager is told, where there is one: ready, alive, stopping. Without one all of this does
//! nothing.

use sd_notify::NotifyState;

/// The watch answers from now on.
pub fn ready() {
    let _ = sd_notify::notify(&[NotifyState::Ready]);
}

/// The loop is still turning.
pub fn alive() {
    let _ = sd_notify::notify(&[NotifyState::Watchdog]);
}

/// The watch is about to end.
pub fn stopping() {
    let _ = sd_notify::notify(&[NotifyState::Stopping]);
}
