//! The shape of the status; key order is field order.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct Status {
    pub(super) rules: InForce,
    pub(super) watch: Watching,
    pub(super) sources: Vec<SourceStatus>,
    pub(super) budgets: Vec<Budget>,
    pub(super) kept: Vec<Kept>,
    pub(super) silenced: Vec<Silenced>,
    pub(super) next: Vec<NextRun>,
    pub(super) outbox: Vec<Count>,
    pub(super) inbox: usize,
    pub(super) set_aside: SetAsideStatus,
}

#[derive(Debug, Serialize)]
pub(super) struct InForce {
    pub(super) hash: String,
    pub(super) count: usize,
    pub(super) since: Option<String>,
    /// Why the files as they are now are not in force.
    pub(super) complaint: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Watching {
    pub(super) alive: bool,
    pub(super) beat: Option<String>,
    pub(super) age_ms: Option<i64>,
    pub(super) started: Option<String>,
    pub(super) pid: Option<u32>,
    pub(super) version: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct SourceStatus {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) state: &'static str,
    pub(super) read: Option<String>,
    pub(super) age_ms: Option<i64>,
    pub(super) failures: u32,
    pub(super) failure: Option<String>,
    pub(super) notes: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Budget {
    pub(super) name: String,
    pub(super) used: u32,
    pub(super) of: u32,
}

#[derive(Debug, Serialize)]
pub(super) struct Kept {
    pub(super) rule: String,
    pub(super) id: String,
    pub(super) by: String,
    pub(super) until: String,
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Silenced {
    pub(super) what: String,
    pub(super) until: String,
}

#[derive(Debug, Serialize)]
pub(super) struct NextRun {
    pub(super) at: String,
    pub(super) schedule: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Count {
    pub(super) state: String,
    pub(super) count: i64,
}

#[derive(Debug, Serialize)]
pub(super) struct SetAsideStatus {
    pub(super) count: u64,
    pub(super) newest: Vec<String>,
}
