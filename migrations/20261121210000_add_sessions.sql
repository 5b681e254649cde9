-- What the record needs to be read again: titles and counts, progress, checkpoints, restores.

-- The headline of the first question, who speaks for the session, and how much was said in it.
ALTER TABLE conversations ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN relay TEXT;
ALTER TABLE conversations ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;
-- Which messages hold since the conversation was last taken back to a checkpoint: JSON,
-- `[[after, up to and with], …]`, open at the end. Absent: all of them.
ALTER TABLE conversations ADD COLUMN visible TEXT;

UPDATE conversations SET
    title = coalesce((SELECT coalesce(r.title, substr(trim(m.body, char(9, 10, 13, 32, 35, 42, 45, 62)), 1, 120))
                      FROM review_requests r JOIN messages m ON m.request_id = r.request_id AND m.role = 'agent'
                      WHERE r.session_uuid = conversations.session_uuid ORDER BY m.message_id LIMIT 1), ''),
    messages = (SELECT count(*) FROM messages m WHERE m.session_uuid = conversations.session_uuid);

-- Lists are by the last change, the newest first, of all or of one status.
CREATE INDEX conversations_updated ON conversations (updated_at, session_uuid);
CREATE INDEX conversations_status ON conversations (status, updated_at, session_uuid);

CREATE TRIGGER messages_counted AFTER INSERT ON messages BEGIN
    UPDATE conversations SET messages = messages + 1 WHERE session_uuid = new.session_uuid;
END;

-- How far a session's work is; `steps` is JSON.
CREATE TABLE progress (
    session_uuid   TEXT    NOT NULL PRIMARY KEY REFERENCES conversations (session_uuid),
    percent        INTEGER CHECK (percent BETWEEN 0 AND 100),
    status_message TEXT,
    step_name      TEXT,
    steps          TEXT    NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT;

-- A snapshot: the last message that was there (0 for none), how many held, which ones, and the
-- progress as JSON. The call that made it may come again, after the gate was killed.
CREATE TABLE checkpoints (
    checkpoint_id TEXT    NOT NULL PRIMARY KEY,
    session_uuid  TEXT    NOT NULL REFERENCES conversations (session_uuid),
    name          TEXT    NOT NULL,
    description   TEXT,
    message_id    INTEGER NOT NULL,
    messages      INTEGER NOT NULL,
    visible       TEXT    NOT NULL,
    progress      TEXT,
    call_key      TEXT,
    created_at    INTEGER NOT NULL,
    UNIQUE (session_uuid, name)
) STRICT;

-- Every time that a conversation was taken back to a checkpoint, with what is needed to undo it.
CREATE TABLE restores (
    restore_id      TEXT    NOT NULL PRIMARY KEY,
    session_uuid    TEXT    NOT NULL REFERENCES conversations (session_uuid),
    checkpoint_id   TEXT    NOT NULL REFERENCES checkpoints (checkpoint_id),
    superseded      INTEGER NOT NULL,
    visible_before  TEXT,
    progress_before TEXT,
    call_key        TEXT,
    restored_at     INTEGER NOT NULL,
    undone_at       INTEGER
) STRICT;

CREATE INDEX restores_session ON restores (session_uuid, restored_at);
CREATE INDEX restores_checkpoint ON restores (checkpoint_id);

CREATE TRIGGER progress_made AFTER INSERT ON progress BEGIN
    UPDATE conversations SET updated_at = max(updated_at, new.updated_at) WHERE session_uuid = new.session_uuid;
END;
CREATE TRIGGER progress_changed AFTER UPDATE ON progress BEGIN
    UPDATE conversations SET updated_at = max(updated_at, new.updated_at) WHERE session_uuid = new.session_uuid;
END;

-- The restore since which a message doesn't hold; nothing is deleted.
ALTER TABLE messages ADD COLUMN superseded_by TEXT REFERENCES restores (restore_id);
CREATE INDEX messages_superseded ON messages (superseded_by) WHERE superseded_by IS NOT NULL;

-- Deleting asks which attachments share some bytes.
CREATE INDEX attachments_content ON attachments (sha256);

-- Names this record, so that an index made of another one is told apart.
CREATE TABLE record (record_id TEXT NOT NULL PRIMARY KEY) STRICT;
INSERT INTO record (record_id) VALUES (lower(hex(randomblob(16))));
