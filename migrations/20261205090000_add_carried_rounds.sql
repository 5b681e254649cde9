-- The round whose approvals by agents hold for a round, too: it is the same patch on another base.
ALTER TABLE rounds ADD COLUMN carried_from INTEGER;
