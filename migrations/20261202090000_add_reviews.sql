-- The review broker: agents' proposals, their rounds, and what reviewers and the person make of them.

-- Who acts: what says whether two of them are one. As JSON.
CREATE TABLE parties (
    party   TEXT    NOT NULL PRIMARY KEY,
    facts   TEXT    NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT;

-- `state` is all that the rules look at, as JSON; what stands beside it is what lists and clocks look for. Nobody has
-- had it since `free_since`.
CREATE TABLE proposals (
    review_id     TEXT    NOT NULL PRIMARY KEY,
    session_uuid  TEXT    NOT NULL REFERENCES conversations (session_uuid),
    party         TEXT    NOT NULL REFERENCES parties (party),
    place         TEXT    NOT NULL,
    workspace     TEXT    NOT NULL,
    intent        TEXT    NOT NULL,
    category      TEXT,
    priority      TEXT    NOT NULL,
    labels        TEXT    NOT NULL,
    parent_id     TEXT,
    status        TEXT    NOT NULL,
    state         TEXT    NOT NULL,
    holder        TEXT,
    free_since    INTEGER NOT NULL,
    diff_sha256   TEXT,
    base          TEXT,
    stale         INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),
    request_id    TEXT REFERENCES review_requests (request_id),
    queue_key     INTEGER NOT NULL,
    due           TEXT,
    due_at        INTEGER,
    followed_until INTEGER,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    event         INTEGER NOT NULL
) STRICT;

CREATE INDEX proposals_queue ON proposals (queue_key, review_id) WHERE status = 'created';
CREATE INDEX proposals_due ON proposals (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX proposals_updated ON proposals (updated_at, review_id);
CREATE INDEX proposals_status ON proposals (status, updated_at, review_id);
CREATE INDEX proposals_place ON proposals (place, updated_at, review_id);
CREATE INDEX proposals_place_status ON proposals (place, status, updated_at, review_id);
CREATE INDEX proposals_party ON proposals (party, updated_at, review_id);
CREATE INDEX proposals_session ON proposals (session_uuid);
CREATE INDEX proposals_followed ON proposals (place, followed_until) WHERE followed_until IS NOT NULL;

-- A diff is a blob of this digest; `checked` is what the gate found out about it, as JSON.
CREATE TABLE rounds (
    review_id   TEXT    NOT NULL REFERENCES proposals (review_id),
    round       INTEGER NOT NULL,
    party       TEXT    NOT NULL,
    author      TEXT    NOT NULL,
    diff_sha256 TEXT,
    description TEXT,
    checked     TEXT    NOT NULL,
    patch_id    TEXT,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (review_id, round)
) STRICT;

CREATE INDEX rounds_diff ON rounds (diff_sha256);

-- The paths of the newest round, while the review is open.
CREATE TABLE proposal_files (
    review_id TEXT NOT NULL REFERENCES proposals (review_id),
    place     TEXT NOT NULL,
    path      TEXT NOT NULL,
    PRIMARY KEY (review_id, path)
) STRICT;

CREATE INDEX proposal_files_path ON proposal_files (place, path);

CREATE TABLE claims (
    review_id   TEXT    NOT NULL REFERENCES proposals (review_id),
    token       INTEGER NOT NULL,
    party       TEXT    NOT NULL,
    given_round INTEGER NOT NULL,
    given_at    INTEGER NOT NULL,
    ended_at    INTEGER,
    lost        TEXT,
    PRIMARY KEY (review_id, token)
) STRICT;

CREATE INDEX claims_held ON claims (party) WHERE ended_at IS NULL;

-- `n` is the number of the event with which it was told. `party` is absent for the person.
CREATE TABLE verdicts (
    review_id  TEXT    NOT NULL REFERENCES proposals (review_id),
    n          INTEGER NOT NULL,
    round      INTEGER NOT NULL,
    party      TEXT,
    author     TEXT    NOT NULL,
    decision   TEXT    NOT NULL,
    reason     TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (review_id, n)
) STRICT;

CREATE TABLE counter_patches (
    patch_id    TEXT    NOT NULL PRIMARY KEY,
    review_id   TEXT    NOT NULL REFERENCES proposals (review_id),
    n           INTEGER NOT NULL,
    round       INTEGER NOT NULL,
    party       TEXT    NOT NULL,
    author      TEXT    NOT NULL,
    diff_sha256 TEXT    NOT NULL,
    description TEXT,
    approves    INTEGER NOT NULL CHECK (approves IN (0, 1)),
    status      TEXT    NOT NULL,
    checked     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX counter_patches_review ON counter_patches (review_id, n);
CREATE INDEX counter_patches_diff ON counter_patches (diff_sha256);

-- What a verdict approved: a round, or a patch in its place.
CREATE TABLE approved_results (
    review_id  TEXT    NOT NULL REFERENCES proposals (review_id),
    n          INTEGER NOT NULL,
    round      INTEGER NOT NULL,
    patch_id   TEXT,
    party      TEXT,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX approved_results_review ON approved_results (review_id, round);

CREATE TABLE threads (
    thread_id TEXT    NOT NULL PRIMARY KEY,
    review_id TEXT    NOT NULL REFERENCES proposals (review_id),
    n         INTEGER NOT NULL,
    round     INTEGER NOT NULL,
    anchor    TEXT    NOT NULL,
    resolved  INTEGER NOT NULL CHECK (resolved IN (0, 1))
) STRICT;

CREATE INDEX threads_review ON threads (review_id, n);

CREATE TABLE thread_messages (
    message_id TEXT    NOT NULL PRIMARY KEY,
    review_id  TEXT    NOT NULL REFERENCES proposals (review_id),
    n          INTEGER NOT NULL,
    thread_id  TEXT REFERENCES threads (thread_id),
    party      TEXT,
    role       TEXT    NOT NULL,
    author     TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX thread_messages_review ON thread_messages (review_id, n);

-- What a tool call led to, so that a call that is sent again does nothing twice. A row goes when its result has arrived.
CREATE TABLE broker_calls (
    call_key   TEXT    NOT NULL PRIMARY KEY,
    review_id  TEXT    NOT NULL REFERENCES proposals (review_id),
    result     TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX broker_calls_review ON broker_calls (review_id);

-- What happened, numbered for each subject without a gap.
CREATE TABLE events (
    position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    subject  TEXT    NOT NULL,
    n        INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    party    TEXT,
    role     TEXT,
    type     TEXT    NOT NULL,
    data     TEXT    NOT NULL,
    UNIQUE (subject, n)
) STRICT;
