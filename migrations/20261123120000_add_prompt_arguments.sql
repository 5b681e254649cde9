-- What prompts were used with, and what a commit brought.

-- JSON, a list of `{"name", "value"}` in the order in which the prompt declares them. `value` is the begin of what was
-- given, without what could be a secret; null where all of it could be one.
ALTER TABLE prompt_uses ADD COLUMN arguments TEXT NOT NULL DEFAULT '[]';

CREATE INDEX prompt_versions_commit ON prompt_versions (commit_id, version_id) WHERE commit_id <> '';
