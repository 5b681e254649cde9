-- Whose a session is, and which tokens may read what is others'.

-- `owner` is `token NAME`, `shared_token`, `process PID BEGAN`, `relay ID` or `holder`; absent for a session that is
-- nobody's yet, as those from before are. `heirs` is what the owner's heirs have in common with it: JSON,
-- `[client, folder]`; absent where it has none.
ALTER TABLE conversations ADD COLUMN owner TEXT;
ALTER TABLE conversations ADD COLUMN heirs TEXT;

-- An owner's list is by the last change, the newest first.
CREATE INDEX conversations_owner ON conversations (owner, updated_at, session_uuid) WHERE owner IS NOT NULL;

ALTER TABLE tokens ADD COLUMN reads_all INTEGER NOT NULL DEFAULT 0 CHECK (reads_all IN (0, 1));
