-- What a party proposed is among the lists that it sees, wherever that is: each of these lists in its order.
CREATE INDEX proposals_party_status ON proposals (party, status, updated_at, review_id);
CREATE INDEX proposals_party_category ON proposals (party, category, updated_at, review_id) WHERE category IS NOT NULL;
CREATE INDEX proposals_party_priority ON proposals (party, priority, updated_at, review_id) WHERE priority <> 'normal';
-- What changes a path, in whichever repository.
CREATE INDEX proposal_files_anywhere ON proposal_files (path);
