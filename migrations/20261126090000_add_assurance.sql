-- How sure it is that the person gave a reply, two more places where it may be given, and whether it came from another
-- record. The table is made anew, since its rules can't be changed: nothing refers to it.

CREATE TABLE replies_anew (
    request_id    TEXT    NOT NULL PRIMARY KEY REFERENCES review_requests (request_id),
    decision      TEXT CHECK (decision IN ('approved', 'changes_requested')),
    selected      TEXT    NOT NULL,
    comments      TEXT    NOT NULL,
    answered_at   INTEGER NOT NULL,
    answered_from TEXT    NOT NULL
        CHECK (answered_from IN ('desktop', 'browser', 'terminal', 'script', 'form', 'notification')),
    delivered_at  INTEGER,
    remarks       TEXT    NOT NULL DEFAULT '[]',
    assurance     TEXT    NOT NULL DEFAULT 'L0' CHECK (assurance IN ('L0', 'L1', 'L2', 'L3')),
    imported_at   INTEGER
) STRICT;

-- What was given in a window or on a page was attended, though less was asked of these then.
INSERT INTO replies_anew
SELECT request_id, decision, selected, comments, answered_at, answered_from, delivered_at, remarks,
       iif(answered_from IN ('desktop', 'browser'), 'L1', 'L0'), NULL
FROM replies;

DROP TABLE replies;
ALTER TABLE replies_anew RENAME TO replies;

CREATE INDEX replies_undelivered ON replies (answered_at) WHERE delivered_at IS NULL;
