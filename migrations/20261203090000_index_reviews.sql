-- What is looked for of reviews, without walking through all that there ever were. The paths of those that were applied stay
-- in `proposal_files`: whoever commits asks for them.

-- The queue of one place.
DROP INDEX proposals_queue;
CREATE INDEX proposals_queue ON proposals (place, queue_key, review_id) WHERE status = 'created';

-- How many a party has open.
CREATE INDEX proposals_open ON proposals (party) WHERE status <> 'closed';

-- Lists of a place by what few of its reviews have.
CREATE INDEX proposals_category ON proposals (place, category, updated_at, review_id) WHERE category IS NOT NULL;
CREATE INDEX proposals_priority ON proposals (place, priority, updated_at, review_id) WHERE priority <> 'normal';

-- Each deleted row of the other table asks for these.
CREATE INDEX proposals_request ON proposals (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX thread_messages_thread ON thread_messages (thread_id) WHERE thread_id IS NOT NULL;

CREATE INDEX approved_results_patch ON approved_results (patch_id) WHERE patch_id IS NOT NULL;

-- What is forgotten of calls over HTTP once its time is over.
CREATE INDEX broker_calls_over_http ON broker_calls (created_at) WHERE call_key GLOB 'http-*';
