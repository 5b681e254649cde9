-- The record: conversations, their messages, review requests, drafts, replies and attachments.
-- Times are milliseconds since the Unix epoch; identifiers are UUIDs in their hyphenated form.

CREATE TABLE conversations (
    session_uuid   TEXT    NOT NULL PRIMARY KEY,
    client         TEXT    NOT NULL,
    client_version TEXT    NOT NULL,
    workspace      TEXT    NOT NULL,
    status         TEXT    NOT NULL CHECK (status IN ('active', 'completed', 'timeout', 'stale')),
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE review_requests (
    request_id     TEXT    NOT NULL PRIMARY KEY,
    session_uuid   TEXT    NOT NULL REFERENCES conversations (session_uuid),
    status         TEXT    NOT NULL CHECK (status IN ('pending', 'answered', 'cancelled', 'expired')),
    title          TEXT,
    context        TEXT,
    urgent         INTEGER NOT NULL CHECK (urgent IN (0, 1)),
    options        TEXT    NOT NULL,
    allow_multiple INTEGER NOT NULL CHECK (allow_multiple IN (0, 1)),
    approval       INTEGER NOT NULL CHECK (approval IN (0, 1)),
    diff           TEXT,
    created_at     INTEGER NOT NULL,
    closed_at      INTEGER
) STRICT;

CREATE INDEX review_requests_pending ON review_requests (urgent DESC, created_at) WHERE status = 'pending';
CREATE INDEX review_requests_session ON review_requests (session_uuid, created_at);

-- What was said, in order. An agent's message belongs to the request that it asks, a person's to
-- the request that it answers.
CREATE TABLE messages (
    message_id   INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    session_uuid TEXT    NOT NULL REFERENCES conversations (session_uuid),
    request_id   TEXT    NOT NULL REFERENCES review_requests (request_id),
    role         TEXT    NOT NULL CHECK (role IN ('agent', 'person')),
    body         TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    UNIQUE (request_id, role)
) STRICT;

CREATE INDEX messages_session ON messages (session_uuid, message_id);

-- Which tool call stands for which request, so that a call that is sent again finds its own. A row
-- goes when the agent has the call's result; `gives_reply` is 0 where that result is not the reply.
CREATE TABLE calls (
    call_key    TEXT    NOT NULL PRIMARY KEY,
    request_id  TEXT    NOT NULL REFERENCES review_requests (request_id),
    gives_reply INTEGER NOT NULL DEFAULT 1 CHECK (gives_reply IN (0, 1)),
    created_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX calls_request ON calls (request_id);

CREATE TABLE drafts (
    request_id TEXT    NOT NULL PRIMARY KEY REFERENCES review_requests (request_id),
    draft      TEXT    NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE replies (
    request_id    TEXT    NOT NULL PRIMARY KEY REFERENCES review_requests (request_id),
    decision      TEXT CHECK (decision IN ('approved', 'changes_requested')),
    selected      TEXT    NOT NULL,
    comments      TEXT    NOT NULL,
    answered_at   INTEGER NOT NULL,
    answered_from TEXT    NOT NULL CHECK (answered_from IN ('desktop', 'browser', 'terminal', 'script')),
    delivered_at  INTEGER
) STRICT;

CREATE INDEX replies_undelivered ON replies (answered_at) WHERE delivered_at IS NULL;

-- Bytes of attachments, stored once for each content.
CREATE TABLE blobs (
    sha256 TEXT    NOT NULL PRIMARY KEY,
    size   INTEGER NOT NULL,
    bytes  BLOB    NOT NULL
) STRICT;

-- `position` is the place in the reply; it is absent while the attachment belongs to a draft.
CREATE TABLE attachments (
    attachment_id TEXT    NOT NULL PRIMARY KEY,
    request_id    TEXT    NOT NULL REFERENCES review_requests (request_id),
    sha256        TEXT    NOT NULL REFERENCES blobs (sha256),
    name          TEXT    NOT NULL,
    mime_type     TEXT    NOT NULL,
    position      INTEGER,
    created_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX attachments_request ON attachments (request_id, position);
