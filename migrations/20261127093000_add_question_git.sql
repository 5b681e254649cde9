-- What git holds of a question whose diff the gate itself made of a repository: JSON, `{"repository", "what", "base",
-- "base_tree", "commit", "tree", "manifest"}`; absent where an agent gave the diff, or none.
ALTER TABLE review_requests ADD COLUMN git TEXT;

-- JSON, a list of the folders whose repositories the gate reads for the client that has the token.
ALTER TABLE tokens ADD COLUMN folders TEXT NOT NULL DEFAULT '[]';
