//! What the service manager is told, where there is one: ready, alive, stopping. Without one all of this does
//! nothing.

use sd_notify::NotifyState;

use super::agent::BEAT_MS;
use crate::engine::time::Instant;

/// The watch answers from now on.
pub fn ready() {
    let _ = sd_notify::notify(&[NotifyState::Ready]);
}

/// Tells that the loop is still turning, but only now and then: each telling waits for the service manager.
#[derive(Debug, Default)]
pub struct Heart {
    told: Option<Instant>,
}

impl Heart {
    /// The loop turned.
    pub fn turned(&mut self, now: Instant) {
        if self.told.is_none_or(|told| (now.0.saturating_sub(told.0)).abs() >= BEAT_MS / 2) {
            self.told = Some(now);
            let _ = sd_notify::notify(&[NotifyState::Watchdog]);
        }
    }
}

/// The watch is about to end.
pub fn stopping() {
    let _ = sd_notify::notify(&[NotifyState::Stopping]);
}
