//! Static checks over a resolved rule set: one file per lint, one row here.
