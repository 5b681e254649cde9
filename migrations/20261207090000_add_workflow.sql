-- The review workflow: jobs, each one review of one pull request at one head, what their runs hand in, and what would be
-- posted of it.

-- `state` is what the rules look at besides the audits, as JSON, and `definition` the workflow as it was when the job was
-- created; what stands before them is what lists, the queue and the clock look for. `party` is absent where the person
-- created it.
CREATE TABLE workflow_jobs (
    job_id       TEXT    NOT NULL PRIMARY KEY,
    session_uuid TEXT    NOT NULL REFERENCES conversations (session_uuid),
    party        TEXT REFERENCES parties (party),
    run_party    TEXT REFERENCES parties (party),
    workspace    TEXT    NOT NULL,
    local_path   TEXT,
    platform     TEXT    NOT NULL,
    host         TEXT    NOT NULL,
    project      TEXT    NOT NULL,
    number       INTEGER NOT NULL,
    title        TEXT,
    head_sha     TEXT,
    base_sha     TEXT,
    start_sha    TEXT,
    newest_sha   TEXT,
    workflow     TEXT    NOT NULL,
    job_type     TEXT    NOT NULL,
    runner       TEXT,
    by_person    INTEGER NOT NULL CHECK (by_person IN (0, 1)),
    previous_id  TEXT,
    status       TEXT    NOT NULL,
    phase        TEXT    NOT NULL,
    progress     INTEGER NOT NULL,
    queue_at     INTEGER,
    due_at       INTEGER,
    publishes    INTEGER NOT NULL DEFAULT 0 CHECK (publishes IN (0, 1)),
    threads_at   INTEGER,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    event        INTEGER NOT NULL,
    state        TEXT    NOT NULL,
    definition   TEXT    NOT NULL
) STRICT;

CREATE INDEX workflow_jobs_updated ON workflow_jobs (updated_at, job_id);
CREATE INDEX workflow_jobs_status ON workflow_jobs (status, updated_at, job_id);
CREATE INDEX workflow_jobs_party ON workflow_jobs (party, updated_at, job_id);
CREATE INDEX workflow_jobs_party_status ON workflow_jobs (party, status, updated_at, job_id);
CREATE INDEX workflow_jobs_run_party ON workflow_jobs (run_party, updated_at, job_id);
CREATE INDEX workflow_jobs_run_party_status ON workflow_jobs (run_party, status, updated_at, job_id);
CREATE INDEX workflow_jobs_workspace ON workflow_jobs (workspace, updated_at, job_id);
CREATE INDEX workflow_jobs_workspace_status ON workflow_jobs (workspace, status, updated_at, job_id);
CREATE INDEX workflow_jobs_pull ON workflow_jobs (project, number, updated_at, job_id);
CREATE INDEX workflow_jobs_session ON workflow_jobs (session_uuid);
CREATE INDEX workflow_jobs_queue ON workflow_jobs (by_person DESC, queue_at, job_id) WHERE queue_at IS NOT NULL;
CREATE INDEX workflow_jobs_due ON workflow_jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX workflow_jobs_publishes ON workflow_jobs (job_id) WHERE publishes = 1;

-- The audits, numbered as in the definition.
CREATE TABLE workflow_agents (
    job_id       TEXT    NOT NULL REFERENCES workflow_jobs (job_id),
    n            INTEGER NOT NULL,
    name         TEXT    NOT NULL,
    status       TEXT    NOT NULL,
    attempt      INTEGER NOT NULL,
    failures     INTEGER NOT NULL,
    started_at   INTEGER,
    completed_at INTEGER,
    error        TEXT,
    timed_out    INTEGER NOT NULL CHECK (timed_out IN (0, 1)),
    late         INTEGER NOT NULL CHECK (late IN (0, 1)),
    uncounted    INTEGER NOT NULL,
    PRIMARY KEY (job_id, n)
) STRICT;

-- The platform's threads as they were when they were last fetched. `comments` is absent where they weren't told.
CREATE TABLE workflow_threads (
    job_id   TEXT    NOT NULL REFERENCES workflow_jobs (job_id),
    n        INTEGER NOT NULL,
    thread   TEXT    NOT NULL,
    file     TEXT,
    line     INTEGER,
    status   TEXT    NOT NULL,
    body     TEXT    NOT NULL,
    comments TEXT,
    PRIMARY KEY (job_id, n)
) STRICT;

CREATE INDEX workflow_threads_thread ON workflow_threads (job_id, thread);

CREATE TABLE workflow_findings (
    finding_id  TEXT    NOT NULL PRIMARY KEY,
    job_id      TEXT    NOT NULL REFERENCES workflow_jobs (job_id),
    n           INTEGER NOT NULL,
    fingerprint TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    agent_name  TEXT,
    anchor      TEXT    NOT NULL,
    finding     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX workflow_findings_n ON workflow_findings (job_id, n);
CREATE UNIQUE INDEX workflow_findings_fingerprint ON workflow_findings (fingerprint, job_id);

-- `anchor` is what a comment on a line was put at.
CREATE TABLE workflow_actions (
    action_id  TEXT    NOT NULL PRIMARY KEY,
    job_id     TEXT    NOT NULL REFERENCES workflow_jobs (job_id),
    n          INTEGER NOT NULL,
    action     TEXT    NOT NULL,
    anchor     TEXT,
    created_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX workflow_actions_n ON workflow_actions (job_id, n);

-- A revision never changes what it says. `draft` and `manifest` are there once the person has approved it.
CREATE TABLE workflow_publications (
    publication_id TEXT    NOT NULL,
    revision       INTEGER NOT NULL,
    job_id         TEXT    NOT NULL REFERENCES workflow_jobs (job_id),
    n              INTEGER NOT NULL,
    state          TEXT    NOT NULL,
    held_for       TEXT,
    request_id     TEXT REFERENCES review_requests (request_id),
    digest         TEXT    NOT NULL,
    head_sha       TEXT    NOT NULL,
    event          TEXT    NOT NULL,
    summary        TEXT,
    draft          TEXT,
    manifest       TEXT,
    created_at     INTEGER NOT NULL,
    changed_at     INTEGER NOT NULL,
    PRIMARY KEY (publication_id, revision)
) STRICT;

CREATE UNIQUE INDEX workflow_publications_job ON workflow_publications (job_id, n);
CREATE INDEX workflow_publications_undone ON workflow_publications (job_id) WHERE state NOT IN ('posted', 'dropped');
CREATE INDEX workflow_publications_open ON workflow_publications (publication_id) WHERE state = 'open';
CREATE INDEX workflow_publications_request ON workflow_publications (request_id) WHERE request_id IS NOT NULL;

-- What a revision asks, item by item, and what became of each. An item's id is the same over revisions.
CREATE TABLE workflow_items (
    publication_id TEXT    NOT NULL,
    revision       INTEGER NOT NULL,
    n              INTEGER NOT NULL,
    item_id        TEXT    NOT NULL,
    job_id         TEXT    NOT NULL REFERENCES workflow_jobs (job_id),
    item           TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    url            TEXT,
    reason         TEXT,
    PRIMARY KEY (publication_id, revision, n)
) STRICT;

CREATE INDEX workflow_items_job ON workflow_items (job_id);
CREATE INDEX workflow_items_item ON workflow_items (item_id);

-- What a tool call led to, so that a call that is sent again does nothing twice. A row goes when its result has arrived.
CREATE TABLE workflow_calls (
    call_key   TEXT    NOT NULL PRIMARY KEY,
    job_id     TEXT    NOT NULL REFERENCES workflow_jobs (job_id),
    result     TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX workflow_calls_job ON workflow_calls (job_id);
CREATE INDEX workflow_calls_over_http ON workflow_calls (created_at) WHERE call_key GLOB 'http-*';
