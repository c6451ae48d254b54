//! The hash chain over the journal.
//!
//! A row's digest is the SHA-256 of its body; its hash is the SHA-256 of the hash before it (32 zero bytes
//! for the first), its number and instant (8 bytes each, big-endian), the length of its kind (8 bytes), its
//! kind and its digest. A body can be taken out without breaking the chain, since its digest stays.

use sha2::{Digest, Sha256};

/// A SHA-256.
pub(super) type Hash = [u8; 32];

/// Before the first row.
pub(super) const START: Hash = [0; 32];

/// Of a body.
pub(super) fn digest(body: &str) -> Hash {
    Sha256::digest(body).into()
}

/// Of a row that follows the one with the hash `before`.
pub(super) fn hash(before: &Hash, seq: i64, at: i64, kind: &str, digest: &Hash) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(seq.to_be_bytes());
    hasher.update(at.to_be_bytes());
    hasher.update((kind.len() as u64).to_be_bytes());
    hasher.update(kind);
    hasher.update(digest);
    hasher.finalize().into()
}
