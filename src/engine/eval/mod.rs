//! Three-valued evaluation of resolved expressions against frozen facts.
//!
//! Never changes anything: it reads the facts and writes down only three things about itself: until when
//! the answer stands by time alone, within which values of the signals it stands, and how much fuel is
//! left. Never stops early in a condition, so that every clause has its verdict in the trace.
//!
//! INVARIANT: with the same facts and instant, the same answer; until `Scope::until` the answer changes
//! only if a fact does.

mod condition;
mod join;
mod known;
mod scope;
mod text;
mod threshold;
mod truth;
mod value;
mod window;

pub use known::{Known, Missing, Timed};
pub use scope::{Arrivals, Bindings, Facts, Guard, Scope};
pub use text::{render_facts, render_say};
pub use truth::Truth;
