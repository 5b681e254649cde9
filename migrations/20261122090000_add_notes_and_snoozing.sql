-- Notes to agents, requests that are put off, and how the person is there.

-- A note is a message of the person's that answers nothing. `messages` hang on a row of
-- `review_requests`, so a note has one of its own, answered, without a question and without a reply.
CREATE TABLE notes (
    note_id      TEXT    NOT NULL PRIMARY KEY REFERENCES review_requests (request_id),
    session_uuid TEXT    NOT NULL REFERENCES conversations (session_uuid),
    delivered_at INTEGER
) STRICT;

CREATE INDEX notes_session ON notes (session_uuid);
CREATE INDEX notes_undelivered ON notes (note_id) WHERE delivered_at IS NULL;

-- When the person put a request off, and until when; the latter is absent for until it is taken up.
ALTER TABLE review_requests ADD COLUMN snoozed_at INTEGER;
ALTER TABLE review_requests ADD COLUMN snoozed_until INTEGER;

-- One row: since when the person is away, whether the gate has found that out by itself, and
-- do-not-disturb with its end.
CREATE TABLE presence (
    row            INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
    away_since     INTEGER,
    by_itself      INTEGER NOT NULL DEFAULT 0 CHECK (by_itself IN (0, 1)),
    do_not_disturb INTEGER NOT NULL DEFAULT 0 CHECK (do_not_disturb IN (0, 1)),
    quiet_until    INTEGER
) STRICT;

INSERT INTO presence (row) VALUES (1);
