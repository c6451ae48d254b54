//! Places at which a program that was built for tests kills itself: before, between and after what reaches
//! the disk. In every other build this is nothing.
//!
//! The places are numbered as they are passed. `VERGER_KILL_AT` is the number at which the process ends as by
//! SIGKILL; `VERGER_KILL_COUNT` is a file that the last number is written to.

/// Passes a place.
#[cfg(not(feature = "faults"))]
#[inline]
pub(crate) fn point() {}

/// Passes a place.
#[cfg(feature = "faults")]
#[expect(clippy::disallowed_methods, reason = "only in a build for tests")]
pub(crate) fn point() {
    use std::sync::atomic::{AtomicU64, Ordering};
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let number = PASSED.fetch_add(1, Ordering::SeqCst).saturating_add(1);
    if let Some(path) = std::env::var_os("VERGER_KILL_COUNT") {
        let _ = std::fs::write(path, number.to_string());
    }
    let at = std::env::var("VERGER_KILL_AT").ok().and_then(|at| at.parse::<u64>().ok());
    if at == Some(number) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        // The signal may take a moment: nothing more may reach the disk.
        loop {
            std::thread::park();
        }
    }
}
