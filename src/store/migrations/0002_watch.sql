-- Which program took an input in: the engine's number and the version of the zone data that it decided with.
CREATE TABLE program (
  id INTEGER PRIMARY KEY NOT NULL,
  engine INTEGER NOT NULL,
  zones TEXT NOT NULL,
  UNIQUE (engine, zones)
) STRICT;

-- `edited` is 1 where `forget` took something out of a body: its digest is that of what was there.
ALTER TABLE journal ADD COLUMN program INTEGER;
ALTER TABLE journal ADD COLUMN edited INTEGER NOT NULL DEFAULT 0 CHECK (edited IN (0, 1));

-- The one row that says that a watch is alive. Instants in milliseconds since 1970.
CREATE TABLE heartbeat (
  one INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
  at INTEGER NOT NULL,
  started INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  version TEXT NOT NULL,
  ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1))
) STRICT;

-- Each source: what its last good read left, and how it fares.
CREATE TABLE source (
  name TEXT PRIMARY KEY NOT NULL,
  memory TEXT NOT NULL DEFAULT 'null',
  read_at INTEGER,
  tried_at INTEGER,
  failures INTEGER NOT NULL DEFAULT 0,
  failure TEXT,
  notes TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;

-- What a source gave last, by key: the same again is no news. `starts` is an item's, for what a source does
-- not show any more.
CREATE TABLE given (
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  starts INTEGER,
  at INTEGER NOT NULL,
  PRIMARY KEY (source, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX given_by_key ON given (key);

-- Records that commands wrote and that are not in the journal yet.
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  line TEXT NOT NULL
) STRICT;

-- When a message was handed over, and how often that was tried.
ALTER TABLE outbox ADD COLUMN handed_at INTEGER;
ALTER TABLE outbox ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
-- Its place among the messages of one row of the journal.
ALTER TABLE outbox ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
