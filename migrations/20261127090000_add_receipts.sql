-- Where the log of receipts stands, as the record knows it, and what of receipts stays home.

-- One row. The home is named once its log was begun; replies from before that have no receipts.
CREATE TABLE receipts (
    row   INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
    home  TEXT    NOT NULL,
    heads TEXT    NOT NULL
) STRICT;

-- Who asked, from where, and what was seen: what a receipt has as a digest.
CREATE TABLE abouts (
    about      TEXT NOT NULL PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES review_requests (request_id),
    said       TEXT NOT NULL
) STRICT;

CREATE INDEX abouts_by_request ON abouts (request_id);
