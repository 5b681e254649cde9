-- How sure an approval has to be for the agent that asks: L1, L2 or L3; absent where it asks for nothing.
ALTER TABLE review_requests ADD COLUMN require TEXT CHECK (require IN ('L1', 'L2', 'L3'));
