//! Ids of everything that resolving can find wrong. Each has one row in `check::LINTS`, held by a test.

/// A name that nothing defines.
pub(crate) const UNKNOWN_NAME: &str = "unknown-name";
/// Values whose units, currencies or kinds do not go together.
pub(crate) const UNIT_MISMATCH: &str = "unit-mismatch";
/// A name defined twice, or taken by something built in.
pub(crate) const DUPLICATE_NAME: &str = "duplicate-name";
/// `let`s or firings that need each other.
pub(crate) const CYCLE: &str = "cycle";
/// Calendar words without a zone, or without one default among several.
pub(crate) const MISSING_ZONE: &str = "missing-zone";
/// A value of an item that is not bound where it is used.
pub(crate) const UNBOUND_VALUE: &str = "unbound-value";
/// A literal with more decimals than its unit keeps.
pub(crate) const TOO_MANY_DECIMALS: &str = "too-many-decimals";
/// Something required is not written.
pub(crate) const MISSING_PART: &str = "missing-part";
/// Something stands where it has no meaning.
pub(crate) const OUT_OF_PLACE: &str = "out-of-place";
/// A value outside of what is possible there.
pub(crate) const BAD_VALUE: &str = "bad-value";
/// A script that does not compile or breaks its limits.
pub(crate) const FUNCTION_BOUNDS: &str = "function-bounds";

/// All of them.
#[cfg(test)]
pub(crate) const ALL: &[&str] = &[
    UNKNOWN_NAME,
    UNIT_MISMATCH,
    DUPLICATE_NAME,
    CYCLE,
    MISSING_ZONE,
    UNBOUND_VALUE,
    TOO_MANY_DECIMALS,
    MISSING_PART,
    OUT_OF_PLACE,
    BAD_VALUE,
    FUNCTION_BOUNDS,
];
