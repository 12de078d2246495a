CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL, collection TEXT NOT NULL, event TEXT NOT NULL, passage TEXT NOT NULL,
    text TEXT, point TEXT, opponent TEXT, opponent_text TEXT, kind TEXT, probability REAL,
    own_probability REAL, score REAL, cosine REAL, differences TEXT, resolution TEXT, reason TEXT,
    state TEXT, opponent_state TEXT
);
CREATE INDEX IF NOT EXISTS of_passage ON entries (collection, passage, number);
CREATE TRIGGER IF NOT EXISTS no_update BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
CREATE TRIGGER IF NOT EXISTS no_delete BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
CREATE TRIGGER IF NOT EXISTS no_replace BEFORE INSERT ON entries
WHEN EXISTS (SELECT 1 FROM entries WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
CREATE TABLE IF NOT EXISTS examined (
    collection TEXT NOT NULL, passage TEXT NOT NULL, text TEXT NOT NULL, settings TEXT NOT NULL,
    PRIMARY KEY (collection, passage)
) WITHOUT ROWID;
