-- What a question is about that asks the person to decide a round of a review, as JSON; absent for any other question.
ALTER TABLE review_requests ADD COLUMN round TEXT;
