//! Statistics and `name(args)` built-ins: one file each, one row.
