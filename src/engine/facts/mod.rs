//! Records to incremental windows and baselines.
