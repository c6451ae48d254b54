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
    #[cfg(feature = "faults")]
    if let Some(now) = scripted::now() {
        return now;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Longest wait without a look at the clock, where the kernel does not tell of a clock that was set.
const LOOK: Duration = Duration::from_secs(60);

/// Waits until an instant of the wall's clock, or until the clock was set: then sooner, and whoever waits
/// looks again. Without an instant it never ends.
pub async fn until(at: Option<Instant>) {
    let Some(at) = at else { return std::future::pending().await };
    #[cfg(feature = "faults")]
    if scripted::until(at).await {
        return;
    }
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

/// A clock for tests, which goes on as soon as somebody waits for it: `VERGER_CLOCK` is where it begins.
#[cfg(feature = "faults")]
pub mod scripted {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicI64, Ordering};
    use std::time::Duration;

    use crate::engine::time::{Instant, parse_instant};

    fn clock() -> Option<&'static AtomicI64> {
        static CLOCK: OnceLock<Option<AtomicI64>> = OnceLock::new();
        let begin = || parse_instant(&std::env::var("VERGER_CLOCK").ok()?).ok();
        CLOCK.get_or_init(|| begin().map(|at| AtomicI64::new(at.0))).as_ref()
    }

    pub(super) fn now() -> Option<Instant> {
        clock().map(|clock| Instant(clock.load(Ordering::SeqCst)))
    }

    /// Goes on to an instant, once nothing else has happened for a moment; false without such a clock.
    pub(super) async fn until(at: Instant) -> bool {
        let Some(clock) = clock() else { return false };
        tokio::time::sleep(Duration::from_millis(1)).await;
        clock.fetch_max(at.0, Ordering::SeqCst);
        true
    }

    /// True once the clock has reached `VERGER_END`.
    #[must_use]
    pub fn is_over() -> bool {
        let end = std::env::var("VERGER_END").ok().and_then(|end| parse_instant(&end).ok());
        matches!((now(), end), (Some(now), Some(end)) if now >= end)
    }
}
