-- What an agent asks to be allowed: JSON, `{"form", "tool", "kind", "folder", "input", …}`; absent for every other kind of
-- question. The decision, the reason, a rule and a changed input stand in its reply.
ALTER TABLE review_requests ADD COLUMN permission TEXT;
