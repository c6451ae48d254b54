//! Tests of the program that was built with the feature `faults`: it knows places at which it kills itself.
#![expect(clippy::disallowed_methods, reason = "tests start the program and read its files")]

#[cfg(test)]
mod kills;
