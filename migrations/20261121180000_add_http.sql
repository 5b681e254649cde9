-- Clients over HTTP: their tokens and sessions; and what every client declared.

-- How the agent reached the gate, and what its client said of itself when it began.
ALTER TABLE conversations ADD COLUMN transport TEXT CHECK (transport IN ('stdio', 'http'));
ALTER TABLE conversations ADD COLUMN protocol_version TEXT;
ALTER TABLE conversations ADD COLUMN capabilities TEXT;
ALTER TABLE conversations ADD COLUMN token_name TEXT;

-- A digest of who asks and of everything asked, so that the same question finds its request again.
ALTER TABLE review_requests ADD COLUMN question TEXT;
CREATE INDEX review_requests_question ON review_requests (question) WHERE question IS NOT NULL;

-- Tokens of single clients. The token itself is nowhere, only its SHA-256.
CREATE TABLE tokens (
    name       TEXT    NOT NULL PRIMARY KEY,
    sha256     TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    used_at    INTEGER,
    revoked_at INTEGER
) STRICT;

-- Sessions of clients of the initialize-era over HTTP, so that they go on after a restart.
CREATE TABLE http_sessions (
    session_id TEXT    NOT NULL PRIMARY KEY,
    initialize TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX http_sessions_used ON http_sessions (used_at);
