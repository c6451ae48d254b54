//! Reads a source once, outside of any watch: for whoever wants to see what it gives.

use tokio::runtime::Builder;
use tokio::sync::watch;

use super::alarm::now;
use super::sources::LiveSource;
use super::transport::Outside;
use crate::connectors::source::{Failure, Memory, Reading};
use crate::engine::time::Zone;

/// What it gives.
///
/// # Errors
/// When the read does not work.
pub fn read_once(source: &LiveSource, zone: Zone, memory: Memory) -> Result<Reading, Failure> {
    let broken = |error: std::io::Error| Failure::Broken(error.to_string());
    // Two threads: one waits for the read, the other moves its sockets.
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(broken)?;
    let (_end, ended) = watch::channel(false);
    let mut transport = Outside::new()?.transport(runtime.handle().clone(), ended);
    let reading = source.read(now(), zone, memory, &mut transport);
    transport.close();
    reading
}
