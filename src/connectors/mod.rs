//! Foreign formats to recorded days: one file a format.
