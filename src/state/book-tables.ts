/** The tables of single creates, and of places in the feed, in the state that machines share. */

/**
 * `changes` counts plans that became visible, and has the last number of a request: whoever has the greater one was committed later; and
 * which server kept the book last, and when it took over, by its own clock: what another one had acknowledged before may be forgotten.
 * A request without `left_at` was recorded and never left: `owners` are those who are about to let it leave, and until when that may be, by
 * their tokens. `sendings` are those whose outcome is not known, the same way: who sends, and until when it may be answered. What left and has
 * none, and no operation, was never there. `left_at` and `recorded_at` are of the clock of the database, `left_service_at` of the service's
 * time, and the others of the machine that sent it first. `times` is the newest service time that was believed in a boot of a machine.
 * `name` of a checkpoint is who holds it, `content` the line that is in a file elsewhere, check sum and all; empty where nothing was ever kept.
 */
export const BOOK_TABLES = `
CREATE TABLE svc.requests (
  request bigint PRIMARY KEY,
  token text NOT NULL UNIQUE,
  idempotency_key text NOT NULL,
  is_own_key boolean NOT NULL,
  series text,
  generation integer,
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
  metadata_mark bytea NOT NULL,
  amount text,
  currency text,
  account_tail text,
  body bytea,
  recorded_at bigint NOT NULL,
  owners jsonb NOT NULL,
  sendings jsonb NOT NULL,
  is_forgotten boolean NOT NULL DEFAULT false,
  forgotten_by text,
  may_not_repeat boolean NOT NULL DEFAULT false,
  operation text,
  status text,
  operation_created_at bigint,
  left_at bigint,
  left_service_at bigint,
  left_wall_at bigint,
  left_boot text,
  left_boot_at bigint
);
CREATE INDEX requests_key ON svc.requests (idempotency_key);
CREATE INDEX requests_reference ON svc.requests (reference_mark) WHERE reference_mark IS NOT NULL;
CREATE INDEX requests_twin ON svc.requests (twin_mark) WHERE reference_mark IS NULL;
CREATE INDEX requests_operation ON svc.requests (lower(operation)) WHERE operation IS NOT NULL;
CREATE INDEX requests_nameless ON svc.requests (request) WHERE reference_mark IS NULL AND NOT is_own_key;
CREATE INDEX requests_body ON svc.requests (request) WHERE body IS NOT NULL;
CREATE INDEX requests_age ON svc.requests (coalesce(operation_created_at, left_service_at, left_wall_at)) WHERE sendings = '{}';
CREATE TABLE svc.times (
  environment text NOT NULL,
  origin text NOT NULL,
  boot text NOT NULL,
  boot_at bigint NOT NULL,
  service_at bigint NOT NULL,
  PRIMARY KEY (environment, origin, boot)
);
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
