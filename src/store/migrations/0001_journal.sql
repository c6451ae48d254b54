-- The rule sets that were ever in force, by the hash of their canonical text.
CREATE TABLE rule_set (
  hash TEXT PRIMARY KEY NOT NULL,
  files TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Inputs, in the order in which they were taken in; `seq` has no holes. `at` is in milliseconds since 1970 and
-- never falls. `body` is the hash of a rule set, or the canonical lines of the records learnt at `at` (none for
-- a tick); a row that retention emptied has none. `digest` is the SHA-256 of the body, `hash` the chain's.
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('rules', 'records')),
  body TEXT,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

-- What the engine said about an input, line by line, as in the log. `id` is absent for a missed run.
CREATE TABLE decision (
  seq INTEGER NOT NULL REFERENCES journal (seq),
  place INTEGER NOT NULL,
  id TEXT,
  line TEXT NOT NULL,
  PRIMARY KEY (seq, place)
) STRICT, WITHOUT ROWID;

-- How the engine came to that, as JSON: for rows about which anything was said.
CREATE TABLE trace (
  seq INTEGER PRIMARY KEY NOT NULL REFERENCES journal (seq),
  events TEXT NOT NULL
) STRICT;

CREATE INDEX decision_by_id ON decision (id) WHERE id IS NOT NULL;

-- The engine's memory after a row of the journal: what resuming begins with.
CREATE TABLE snapshot (
  seq INTEGER PRIMARY KEY NOT NULL REFERENCES journal (seq),
  state TEXT NOT NULL
) STRICT;

-- Messages to be handed over, each under one key for ever.
CREATE TABLE outbox (
  message TEXT PRIMARY KEY NOT NULL,
  seq INTEGER NOT NULL REFERENCES journal (seq),
  level TEXT NOT NULL,
  decisions TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'sending', 'sent', 'unverified', 'failed', 'dead'))
) STRICT, WITHOUT ROWID;
