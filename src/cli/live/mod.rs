//! The commands that watch, and those that read or change the live journal: one file each, one row here. Only
//! with the feature `shell`.

mod backup;
mod connector;
mod doctor;
mod export;
mod forget;
mod here;
mod init;
pub(super) mod journal;
mod log;
mod rate;
mod report;
mod restore;
mod service;
mod snooze;
mod status;
mod trace;
mod verify;
mod watch;
pub(super) mod working_folder;

use super::CommandDef;

/// All of them, in the order in which help lists them.
pub(super) const COMMANDS: &[CommandDef] = &[
    init::DEF,
    watch::DEF,
    status::DEF,
    log::DEF,
    report::DEF,
    trace::DEF,
    rate::DEF,
    snooze::DEF,
    here::DEF,
    connector::DEF,
    doctor::DEF,
    service::DEF,
    verify::DEF,
    export::DEF,
    backup::DEF,
    restore::DEF,
    forget::DEF,
];
