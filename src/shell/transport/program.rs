//! A program of the owner's: run without a shell, in a group of its own, so that all of it can be stopped.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, Command};

use crate::connectors::source::{Failure, Program};

/// Characters of its complaint that are shown.
const COMPLAINT_MAX: usize = 200;

/// How long its complaint is waited for once it ended.
const COMPLAINT_TIME: Duration = Duration::from_secs(1);

/// Runs it to its end and gives what it printed.
pub(super) async fn run(program: &Program) -> Result<Vec<u8>, Failure> {
    let Some((name, arguments)) = program.words.split_first() else {
        return Err(Failure::Program("no program is named".to_owned()));
    };
    let failed = |reason: String| Failure::Program(format!("`{name}` {reason}"));
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    #[cfg(feature = "faults")]
    command.env("VERGER_NOW", super::super::alarm::now().0.to_string());
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(|error| failed(format!("cannot be started: {error}")))?;
    // Ends with this read, whichever way: what it left running has no business any more.
    let group = Group(child.id());
    let time = Duration::from_millis(u64::try_from(program.time_ms_max).unwrap_or_default());
    let ended = tokio::time::timeout(time, output(&mut child, program.bytes_max)).await;
    let (status, out, complaint) = match ended {
        Ok(ended) => ended?,
        Err(_) => return Err(Failure::TimedOut { seconds: time.as_secs() }),
    };
    drop(group);
    if !status.success() {
        let complaint: String = String::from_utf8_lossy(&complaint).chars().take(COMPLAINT_MAX).collect();
        let complaint = complaint.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = if complaint.is_empty() { String::new() } else { format!(": {complaint}") };
        return Err(failed(format!("ended with {status}{said}")));
    }
    Ok(out)
}

type Ended = (std::process::ExitStatus, Vec<u8>, Vec<u8>);

async fn output(child: &mut Child, bytes_max: u64) -> Result<Ended, Failure> {
    let complaining = child.stderr.take().map(|stderr| tokio::spawn(complaint(stderr)));
    let broken = |error: std::io::Error| Failure::Program(format!("its output cannot be read: {error}"));
    let mut out = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(bytes_max.saturating_add(1)).read_to_end(&mut out).await.map_err(broken)?;
    }
    if out.len() as u64 > bytes_max {
        return Err(Failure::TooLarge { bytes_max });
    }
    let status = child.wait().await.map_err(broken)?;
    // Whoever it left running may hold the stream open.
    let complaint = match complaining {
        Some(task) => tokio::time::timeout(COMPLAINT_TIME, task).await.ok().and_then(Result::ok),
        None => None,
    };
    Ok((status, out, complaint.unwrap_or_default()))
}

/// The beginning of what it complains about; the rest is read too, since it must not wait for a reader.
async fn complaint(mut stderr: ChildStderr) -> Vec<u8> {
    let (mut kept, mut piece) = (Vec::new(), vec![0; 8192]);
    while let Ok(count @ 1..) = stderr.read(&mut piece).await {
        let left = (COMPLAINT_MAX * 4).saturating_sub(kept.len());
        kept.extend(piece.iter().take(count.min(left)));
    }
    kept
}

/// A program with everything that it started; dropping it stops them.
struct Group(Option<u32>);

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(pid) =
            self.0.and_then(|pid| i32::try_from(pid).ok()).and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }
}
