//! Statistics and `name(args)` built-ins: one file each, one row here; and scripts in Rhai.

mod script;

pub use script::{Script, ScriptError, ScriptFault};
