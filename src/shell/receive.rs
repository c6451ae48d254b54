//! Listeners on the own machine, to which an app or a phone's shortcut posts what a source reads.
//!
//! What comes is written to a file of the source's folder and is on the disk before it is answered with 200;
//! the source reads it from there, like any file. Whoever has no token gets 401 and nothing is kept.
#![expect(clippy::disallowed_methods, reason = "keeps what it is sent in files")]

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use super::folder::private_folder;

/// Largest body.
const BYTES_MAX: usize = 64 << 20;
/// Files that wait to be read; more are refused, so that nobody fills the disk.
const WAITING_MAX: usize = 1000;

/// A listener; dropping it closes it.
#[derive(Debug)]
pub struct Listener {
    task: JoinHandle<()>,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Listener {
    /// Closes it, and waits until the address is free again.
    pub async fn close(mut self) {
        self.task.abort();
        // An aborted task ends with an error.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Kept {
    source: String,
    token: String,
    folder: PathBuf,
    came: UnboundedSender<String>,
}

/// Listens at an address of the own machine; the name of the source is sent to `came` when something came.
///
/// # Errors
/// When the address is not of this machine or is taken, or the folder cannot be made.
pub async fn listen(
    (source, address): (&str, &str),
    token: String,
    folder: PathBuf,
    came: UnboundedSender<String>,
) -> std::io::Result<Listener> {
    let invalid = |what: &str| std::io::Error::new(std::io::ErrorKind::InvalidInput, what.to_owned());
    let address: SocketAddr = address.parse().map_err(|_| invalid("this is not an address and a port"))?;
    if !address.ip().is_loopback() {
        return Err(invalid("only addresses of the own machine are listened at"));
    }
    private_folder(&folder)?;
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let kept = Kept { source: source.to_owned(), token, folder, came };
    let router = Router::new().route("/", post(take)).with_state(Arc::new(kept));
    let task = tokio::spawn(async move {
        // It ends with the task.
        let _ = axum::serve(listener, router).await;
    });
    Ok(Listener { task, address })
}

async fn take(State(kept): State<Arc<Kept>>, request: Request<Body>) -> (StatusCode, &'static str) {
    let token = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if !is_same(token.as_bytes(), kept.token.as_bytes()) {
        return (StatusCode::UNAUTHORIZED, "a token is needed: Authorization: Bearer …\n");
    }
    let Ok(body) = to_bytes(request.into_body(), BYTES_MAX).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large, or broke off\n");
    };
    let keeping = kept.clone();
    let written = tokio::task::spawn_blocking(move || keep(&keeping.folder, &body)).await;
    match written {
        Ok(Ok(true)) => {
            let _ = kept.came.send(kept.source.clone());
            (StatusCode::OK, "kept\n")
        }
        Ok(Ok(false)) => (StatusCode::SERVICE_UNAVAILABLE, "too much waits to be read\n"),
        _ => (StatusCode::INSUFFICIENT_STORAGE, "it cannot be kept\n"),
    }
}

/// Writes a body, so that it is there whole or not at all; false when too many wait.
fn keep(folder: &Path, body: &Bytes) -> std::io::Result<bool> {
    if std::fs::read_dir(folder)?.count() >= WAITING_MAX {
        return Ok(false);
    }
    let mut file = tempfile::Builder::new().prefix(".").suffix(".part").tempfile_in(folder)?;
    file.write_all(body)?;
    file.as_file().sync_all()?;
    // Names that sort as they came.
    let now = super::alarm::now();
    let mut number = 0_u32;
    loop {
        let path = folder.join(format!("{:015}-{number:03}.{}", now.0, ending(body)));
        match file.persist_noclobber(&path) {
            Ok(_) => break,
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists && number < 999 => {
                file = error.file;
                number = number.saturating_add(1);
            }
            Err(error) => return Err(error.error),
        }
    }
    // The name itself has to reach the disk too.
    std::fs::File::open(folder)?.sync_all()?;
    Ok(true)
}

/// What a body is, as the kinds that read it tell files apart.
fn ending(body: &[u8]) -> &'static str {
    match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
        _ if body.starts_with(b"PK") => "zip",
        Some(b'<') => "xml",
        _ => "json",
    }
}

/// Compares all of both, so that how long it takes says nothing.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    use sha2::{Digest as _, Sha256};
    let (a, b) = (Sha256::digest(a), Sha256::digest(b));
    a.iter().zip(&b).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}
