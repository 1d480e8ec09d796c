/** The tables of single creates, and of places in the feed, in the state that machines share. */

/**
 * `changes` counts plans that became visible, and has the last number of a request: whoever has the greater one was committed later; and
 * which server kept the book last, and when it took over, by its own clock: what another one had acknowledged before may be forgotten.
 * `sendings` of a request are those whose outcome is not known, by their tokens: who sends, and until when it may be answered. One without
 * any, and without an operation, was never there. `first_left_at` is of the service's time, `left_at` the same by the clock of the database.
 * `name` of a checkpoint is who holds it, `content` the line that is in a file elsewhere, check sum and all; empty where nothing was ever kept.
 */
export const BOOK_TABLES = `
CREATE TABLE svc.requests (
  request bigint PRIMARY KEY,
  token text NOT NULL UNIQUE,
  idempotency_key text NOT NULL,
  is_own_key boolean NOT NULL,
  endpoint text NOT NULL,
  direction text NOT NULL,
  environment text NOT NULL,
  address text NOT NULL,
  origin text NOT NULL,
  path text NOT NULL,
  key_mask text NOT NULL,
  key_print text NOT NULL,
  reference_mark bytea,
  body_mark bytea NOT NULL,
  twin_mark bytea NOT NULL,
  amount text,
  currency text,
  body bytea,
  sendings jsonb NOT NULL,
  is_forgotten boolean NOT NULL DEFAULT false,
  forgotten_by text,
  operation text,
  status text,
  first_left_at bigint NOT NULL,
  left_at bigint NOT NULL
);
CREATE INDEX requests_key ON svc.requests (idempotency_key);
CREATE INDEX requests_body ON svc.requests (body_mark);
CREATE INDEX requests_reference ON svc.requests (reference_mark) WHERE reference_mark IS NOT NULL;
CREATE INDEX requests_age ON svc.requests (first_left_at);
CREATE TABLE svc.checkpoints (
  checkpoint text PRIMARY KEY,
  environment text NOT NULL,
  address text NOT NULL,
  key_mask text NOT NULL,
  sequence bigint NOT NULL,
  content text NOT NULL,
  holder text,
  name text NOT NULL,
  lease_until timestamptz NOT NULL
);
`;
