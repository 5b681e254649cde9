-- Whose a token is, where several are one party, and what it lets its client do in reviews.
ALTER TABLE tokens ADD COLUMN owner TEXT;
ALTER TABLE tokens ADD COLUMN may TEXT NOT NULL DEFAULT '["propose","review"]';
