//! Looks secrets up where they are kept. What is found is never printed; what is said when it is not found
//! names the place alone.
#![expect(clippy::disallowed_methods, reason = "secrets lie in the environment and in files")]

use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::config::SecretRef;
use crate::connectors::source::Failure;

/// Name under which the system's keyring has our entries.
const SERVICE: &str = "verger";
/// Largest secret in bytes.
const BYTES_MAX: u64 = 64 << 10;

/// What is kept there; relative paths are below `home`.
///
/// # Errors
/// [`Failure::Secret`] when nothing is there, or it cannot be read.
pub fn look_up(kept: &SecretRef, home: &Path) -> Result<String, Failure> {
    let failed = |reason: String| Failure::Secret(format!("the secret `{kept}` cannot be read: {reason}"));
    let text = match kept {
        SecretRef::Env(name) => match std::env::var(name) {
            Ok(text) => text,
            Err(_) => return Err(failed("the variable is not set".to_owned())),
        },
        SecretRef::File(path) => {
            let path = home.join(path);
            // A pipe would be waited for, and a device may never end.
            if !fs::metadata(&path).map_err(|error| failed(error.to_string()))?.is_file() {
                return Err(failed("it is not a file".to_owned()));
            }
            let file = fs::File::open(&path).map_err(|error| failed(error.to_string()))?;
            let mut text = String::new();
            let mut limited = file.take(BYTES_MAX + 1);
            limited.read_to_string(&mut text).map_err(|error| failed(error.to_string()))?;
            if text.len() as u64 > BYTES_MAX {
                return Err(failed(format!("the file is larger than {BYTES_MAX} bytes")));
            }
            text
        }
        SecretRef::Keyring(name) => {
            let entry = keyring::v1::Entry::new(SERVICE, name);
            entry.and_then(|entry| entry.get_password()).map_err(|error| failed(keyring_reason(&error)))?
        }
    };
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() { Err(failed("it is empty".to_owned())) } else { Ok(text.to_owned()) }
}

fn keyring_reason(error: &impl std::fmt::Display) -> String {
    format!("the system's keyring says: {error}; `env:` and `file:` work without one")
}
