//! Writes a made-up Apple Health export: `make_apple_export BYTES > export.xml`.

#![expect(clippy::disallowed_methods, reason = "reads its argument and writes to standard output")]

#[path = "../benches/support/apple_export.rs"]
mod apple_export;

use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let usage =
        || io::Error::new(io::ErrorKind::InvalidInput, "expected a number of bytes, such as 2000000000");
    let bytes = std::env::args().nth(1).and_then(|bytes| bytes.parse().ok()).ok_or_else(usage)?;
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    apple_export::write(&mut out, bytes)?;
    out.flush()
}
