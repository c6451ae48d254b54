//! The binary: hands over to `cli` and ends with its code.

use std::process::ExitCode;

fn main() -> ExitCode {
    verger::cli::main()
}
