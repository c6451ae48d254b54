//! Windows against their recomputation.
