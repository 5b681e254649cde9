-- Which program asked, and in which folder it works, as the system said when its relay connected: beside what the client
-- says of itself. Absent where the system doesn't say it.
CREATE TABLE askers (
    request_id TEXT NOT NULL PRIMARY KEY REFERENCES review_requests (request_id),
    program    TEXT NOT NULL,
    folder     TEXT NOT NULL
) STRICT;
