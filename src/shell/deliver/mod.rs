//! Where messages are shown on this machine, besides the terminal that the watch was started in.

pub mod desktop;
