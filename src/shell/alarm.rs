//! The clock of the wall, and waiting for an instant of it.
//!
//! Waiting counts in the wall's time, not in the processor's: after a suspend, or when the clock was set, the
//! alarm goes off as soon as the instant has passed. On Linux the kernel says so; elsewhere the clock is
//! looked at once a minute.
#![expect(clippy::disallowed_methods, reason = "the one clock")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::engine::time::Instant;

/// Now.
#[must_use]
pub fn now() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Longest wait without a look at the clock, where the kernel does not tell of a clock that was set.
const LOOK: Duration = Duration::from_secs(60);

/// Waits until an instant of the wall's clock, or until the clock was set: then sooner, and whoever waits
/// looks again. Without an instant it never ends.
pub async fn until(at: Option<Instant>) {
    let Some(at) = at else { return std::future::pending().await };
    #[cfg(target_os = "linux")]
    if kernel::until(at).await.is_ok() {
        return;
    }
    let left = Duration::from_millis(u64::try_from(at.0.saturating_sub(now().0)).unwrap_or_default());
    tokio::time::sleep(left.min(LOOK)).await;
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::io;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use tokio::io::unix::AsyncFd;

    use crate::engine::time::Instant;

    /// A timer on the wall's clock, that also ends when somebody sets the clock.
    pub(super) async fn until(at: Instant) -> io::Result<()> {
        let timer = timerfd_create(TimerfdClockId::Realtime, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        // Zero would mean never.
        let ms = at.0.max(1);
        let value = Timespec { tv_sec: ms.div_euclid(1000), tv_nsec: ms.rem_euclid(1000) * 1_000_000 };
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let flags = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
        timerfd_settime(&timer, flags, &Itimerspec { it_interval: zero, it_value: value })?;
        #[expect(
            deprecated,
            reason = "the timer stays open as long as it is owned, and its successor is unsafe"
        )]
        let timer = AsyncFd::new(timer)?;
        // Readable means that it went off or was cancelled; both end the wait.
        timer.readable().await?.retain_ready();
        Ok(())
    }
}
