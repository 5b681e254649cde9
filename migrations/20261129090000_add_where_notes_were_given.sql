-- Where a note was given, and how sure it is that the person gave it; absent for one from before that was written down.
ALTER TABLE notes ADD COLUMN given_from TEXT CHECK (given_from IN ('desktop', 'browser', 'terminal', 'script'));
ALTER TABLE notes ADD COLUMN assurance TEXT CHECK (assurance IN ('L0', 'L1', 'L2', 'L3'));
