-- Versions of prompts' files, and how often prompts were asked for. The prompts themselves are files.

-- `cause` is found, saved, imported, restored, synced or deleted; `origin` is local or synced. `text` is empty for a
-- file that was deleted. The order of `version_id` is the order in which they came to be.
CREATE TABLE prompt_versions (
    version_id  TEXT    NOT NULL PRIMARY KEY,
    prompt_id   TEXT    NOT NULL,
    origin      TEXT    NOT NULL,
    format      TEXT    NOT NULL,
    cause       TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    sha256      TEXT    NOT NULL,
    commit_id   TEXT    NOT NULL DEFAULT '',
    seen_at     INTEGER NOT NULL
) STRICT;

CREATE INDEX prompt_versions_prompt ON prompt_versions (prompt_id, version_id);

-- `request_id` is the first review that the same agent asked for within an hour of it.
CREATE TABLE prompt_uses (
    use_id     TEXT    NOT NULL PRIMARY KEY,
    prompt_id  TEXT    NOT NULL,
    client     TEXT    NOT NULL,
    workspace  TEXT    NOT NULL,
    used_at    INTEGER NOT NULL,
    request_id TEXT    REFERENCES review_requests (request_id) ON DELETE SET NULL
) STRICT;

CREATE INDEX prompt_uses_prompt ON prompt_uses (prompt_id, use_id);
CREATE INDEX prompt_uses_open ON prompt_uses (client, workspace, used_at) WHERE request_id IS NULL;
CREATE INDEX prompt_uses_request ON prompt_uses (request_id) WHERE request_id IS NOT NULL;
