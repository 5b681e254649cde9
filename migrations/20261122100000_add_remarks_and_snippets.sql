-- Comments on passages of an agent's message, and the person's templates for replies.

-- JSON, `[{"quote", "body"}, …]`.
ALTER TABLE replies ADD COLUMN remarks TEXT NOT NULL DEFAULT '[]';

-- A draft goes when the very same is sent, so it is written as it will be compared.
UPDATE drafts SET draft = json_insert(draft, '$.remarks', json('[]')) WHERE json_valid(draft);

-- `key` is the name in small letters: two names that differ by case only are one.
CREATE TABLE snippets (
    snippet_id TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    key        TEXT    NOT NULL UNIQUE,
    text       TEXT    NOT NULL,
    uses       INTEGER NOT NULL DEFAULT 0 CHECK (uses >= 0),
    used_at    INTEGER,
    changed_at INTEGER NOT NULL
) STRICT;

-- A diff is compared with the one before it in its session.
CREATE INDEX review_requests_diff ON review_requests (session_uuid, created_at) WHERE diff IS NOT NULL;
