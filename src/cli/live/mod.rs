//! The commands that watch, and those that read or change the live journal: one file each, one row here. Only
//! with the feature `shell`.

mod backup;
mod connector;
mod export;
mod forget;
mod here;
pub(super) mod journal;
mod log;
mod rate;
mod restore;
mod snooze;
mod status;
mod trace;
mod verify;
mod watch;
pub(super) mod working_folder;

use super::CommandDef;

/// All of them, in the order in which help lists them.
pub(super) const COMMANDS: &[CommandDef] = &[
    watch::DEF,
    status::DEF,
    log::DEF,
    trace::DEF,
    rate::DEF,
    snooze::DEF,
    here::DEF,
    connector::DEF,
    verify::DEF,
    export::DEF,
    backup::DEF,
    restore::DEF,
    forget::DEF,
];
