//! The pure engine: rules, facts and time in, decisions and a trace out.
//!
//! No clock, no files, no network, no environment, no randomness, no floats in decisions, no hash order.
//! INVARIANT: the same rule set, records and times give the same bytes.

pub mod check;
pub mod decision;
pub mod diagnostic;
pub mod eval;
pub mod facts;
pub mod functions;
pub mod gates;
pub mod habits;
pub mod nearest;
pub mod record;
pub mod records;
pub mod resolve;
pub mod rule_set;
pub mod scenario;
pub mod source;
pub mod state;
pub mod status;
pub mod step;
pub mod syntax;
pub mod text_match;
pub mod time;
pub mod trace;
pub mod value;
pub mod why;

/// Number of the engine: raised whenever a step may say something else about the same rules and records.
pub const ENGINE: u32 = 1;
