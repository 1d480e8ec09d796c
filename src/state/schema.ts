/** The tables of the state that machines share, as SQL. `svc.` stands for the schema, whatever it is called. */
import { BOOK_TABLES } from './book-tables.js';

/** Which tables this program knows. */
export const SCHEMA_VERSION = 2;

/**
 * The number of a batch or a worker: the moment at which it came, in microseconds. A sequence is forgotten with everything else where another
 * server takes over, and gives a number a second time: two workers that are alive would be one, and the word of either count for both.
 */
const NUMBER = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';

/**
 * A row of `workers` is who works at a batch: nobody else ever has its number. `seq` is that of its last exchange, which says whether one whose
 * answer was lost was committed. `joins` lets one that joins see that nobody did meanwhile, `wave` grows with every run that finds nobody at
 * work, or clears a stop: each row has one turn in a wave, whoever takes it.
 * `rate` is of all who send, and `next_slot` the moment of it that nobody has; `silent` are rows in a row without a definite answer.
 * `sent_at`, `operation_at` and `since` are milliseconds of the service's time, `left_at` is `sent_at` by the clock of the database, `sent_clocks`
 * the same by those of the machine, and `left_seal` shows under the key of the state that `sent_at` and `sent_clocks` are what was written; `totals` holds JSON, with minor units as text.
 * `cluster` and `timeline` are of the server on which nothing of a batch was in doubt.
 * `key_salt` is that of the prints of API keys, so that a key has the same print on every machine. The mirror is `companies`, `places` and
 * `operations`: as in the file of one machine, but that what is found by its text is found by `markOf` it. Its texts are as `heldText` makes them.
 */
export const TABLES = `
CREATE TABLE svc.meta (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version integer NOT NULL,
  least_writer integer NOT NULL,
  least_reader integer NOT NULL,
  environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
  key_check bytea,
  key_salt bytea NOT NULL DEFAULT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))
);
CREATE TABLE svc.changes (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  count bigint NOT NULL,
  requests bigint NOT NULL DEFAULT 0,
  last text,
  cluster text,
  timeline integer,
  taken_over_at bigint
);
CREATE TABLE svc.batches (
  batch bigint PRIMARY KEY DEFAULT ${NUMBER},
  name text NOT NULL UNIQUE,
  ready boolean NOT NULL DEFAULT false,
  direction text NOT NULL,
  environment text NOT NULL,
  address text NOT NULL,
  origin text NOT NULL,
  company text,
  since bigint,
  profile text,
  key_mask text NOT NULL,
  file text NOT NULL,
  file_hash text NOT NULL DEFAULT '',
  row_count integer NOT NULL DEFAULT 0,
  totals text NOT NULL DEFAULT '[]',
  created_at bigint NOT NULL,
  confirmed_at bigint,
  confirmed_by text,
  confirmed_totals text,
  swept_at bigint,
  cluster text,
  timeline integer,
  joins bigint NOT NULL DEFAULT 0,
  wave integer NOT NULL DEFAULT 0,
  pause_until timestamptz,
  rate double precision,
  next_slot timestamptz,
  stopped jsonb
);
CREATE TABLE svc.workers (
  worker bigint PRIMARY KEY DEFAULT ${NUMBER},
  batch bigint NOT NULL REFERENCES svc.batches ON DELETE CASCADE,
  mode text NOT NULL CHECK (mode IN ('plan', 'send', 'alone')),
  name text NOT NULL,
  program text NOT NULL,
  token text NOT NULL UNIQUE,
  seq bigint NOT NULL DEFAULT 0,
  silent integer NOT NULL DEFAULT 0,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  lease_until timestamptz NOT NULL,
  ended_at timestamptz,
  fenced_at timestamptz,
  fenced_by bigint
);
CREATE INDEX workers_batch ON svc.workers (batch) WHERE ended_at IS NULL;
CREATE TABLE svc.rows (
  batch bigint NOT NULL REFERENCES svc.batches ON DELETE CASCADE,
  number integer NOT NULL,
  line integer NOT NULL,
  reference text NOT NULL,
  currency text NOT NULL,
  amount text NOT NULL,
  minor bigint NOT NULL,
  ordinal integer NOT NULL,
  generation integer NOT NULL,
  key text NOT NULL,
  seal bytea NOT NULL,
  reference_mark bytea NOT NULL,
  twin_mark bytea NOT NULL,
  state text NOT NULL CHECK (state IN ('planned', 'intent', 'accepted', 'confirmed', 'earlier', 'failed', 'rejected', 'unavailable',
    'unknown', 'needs_review')),
  sent_at bigint,
  sent_clocks text,
  left_at bigint,
  left_seal bytea,
  operation text,
  status text,
  operation_at bigint,
  code text,
  detail text,
  worker bigint,
  seq bigint,
  wave integer NOT NULL DEFAULT -1,
  PRIMARY KEY (batch, number)
) WITH (fillfactor = 80);
CREATE INDEX rows_open ON svc.rows (batch, number) WHERE state IN ('planned', 'intent', 'unavailable', 'unknown');
CREATE INDEX rows_operation ON svc.rows (operation) WHERE operation IS NOT NULL;
CREATE INDEX rows_mark ON svc.rows (reference_mark);
CREATE TABLE svc.bodies (
  batch bigint NOT NULL REFERENCES svc.batches ON DELETE CASCADE,
  number integer NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (batch, number)
);
CREATE TABLE svc.decisions (
  decision_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  batch bigint NOT NULL REFERENCES svc.batches ON DELETE CASCADE,
  number integer NOT NULL,
  generation integer NOT NULL,
  decision text NOT NULL,
  state text NOT NULL,
  operation text,
  decided_at bigint NOT NULL,
  token text UNIQUE
);
CREATE TABLE svc.companies (
  company bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  environment text NOT NULL,
  same_as bigint,
  epoch bigint NOT NULL DEFAULT 0,
  reading text,
  reading_sum bigint,
  newest_id text,
  newest_at bigint
);
CREATE TABLE svc.places (
  environment text NOT NULL,
  origin text NOT NULL,
  key_print text NOT NULL,
  company bigint NOT NULL REFERENCES svc.companies ON DELETE CASCADE,
  PRIMARY KEY (environment, origin, key_print)
);
CREATE TABLE svc.operations (
  company bigint NOT NULL REFERENCES svc.companies ON DELETE CASCADE,
  id_mark bytea NOT NULL,
  reference_mark bytea,
  id text NOT NULL,
  direction text NOT NULL,
  reference text,
  folded text,
  amount text,
  currency text,
  method text,
  status text NOT NULL,
  code text,
  failure_reason text,
  bank_reference text,
  created_at bigint,
  confirmed_at bigint,
  occurred_at bigint NOT NULL,
  event_id text NOT NULL,
  PRIMARY KEY (company, id_mark)
);
CREATE INDEX operations_reference ON svc.operations (company, reference_mark) WHERE reference_mark IS NOT NULL;
CREATE INDEX operations_beginning ON svc.operations (company, left(id, 64) COLLATE "C");
CREATE INDEX operations_bank ON svc.operations (company, left(lower(bank_reference COLLATE "C"), 64) COLLATE "C") WHERE bank_reference IS NOT NULL;
CREATE INDEX operations_time ON svc.operations (company, occurred_at);
${BOOK_TABLES}`;
