-- Why a permission question ended without an answer here: `away`, `time_over`, `answered_there`, …; absent where it was answered,
-- waits, or ended before this was known, and for every other kind of question.
ALTER TABLE review_requests ADD COLUMN ended TEXT;
