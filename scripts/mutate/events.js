/** Mistakes in following the feed: at least once, in order, and never past what was accepted. */
import { inFile } from './mutant.js';

const follow = inFile('events/follow.ts', 'events/follow');
const progress = inFile('events/progress.ts', 'events/follow');
const checkpoint = inFile('events/checkpoint-text.ts', 'events/checkpoint');
const shared = inFile('events/postgres/statements.ts', 'events/shared-checkpoint');
const lag = inFile('events/service/lag.ts', 'events/service/health');
const anyRun = inFile('events/service/standing.ts', 'events/service/any-run');
const standing = inFile('events/service/standing.ts', 'events/service/health');
const verdict = inFile('events/service/verdict.ts', 'events/service/health', 'events/service/watch');
const answer = inFile('events/service/answer.ts', 'events/service/answer');
const notify = inFile('events/service/notify.ts', 'events/service/notify');
const unitWords = inFile('events/service/unit-words.ts', 'events/service/unit-words');
const watch = inFile('events/service/watch.ts', 'events/service/watch');
const selection = inFile('events/follow.ts', 'events/selection');

const filling = inFile('events/into/filling.ts', 'commands/events/into');
const columns = inFile('events/into/columns.ts', 'events/into/sqlite/writing', 'commands/events/into');
const rows = inFile('events/into/rows.ts', 'commands/events/into');
const held = inFile('events/into/held-json.ts', 'commands/events/into');
const tables = inFile('events/into/table.ts', 'commands/events/into');
const fence = inFile('events/into/postgres/statements.ts', 'commands/events/into');
const fileFence = inFile('events/into/sqlite/schema.ts', 'commands/events/into');
const writing = inFile(
  'events/into/postgres/writing.ts',
  'events/into/postgres/writing',
  'commands/events/into-postgres',
);
const fileWriting = inFile('events/into/sqlite/writing.ts', 'events/into/sqlite/writing');

export const events = [
  fileWriting('a backup ends the follower', ["error.problem === 'busy'", "error.problem === 'gone'"]),
  columns('an event that comes again stays as it was', [
    'WHEN o.event = excluded.event THEN true',
    'WHEN o.event = excluded.event THEN false',
  ]),
  writing('a lease that is renewed beside a batch is lost to it', ['!isWriting && known', 'known']),
  filling('the place is committed without the events before it', [
    'table.write(full, position)',
    'table.write(new EventBatch(full.count), position)',
  ]),
  inFile('events/into/filling.ts', 'commands/events/into-postgres')(
    'a write that failed is heard of with the next event',
    ['failed.abort(error);', ''],
  ),
  columns('of a payment that failed and was confirmed the table keeps the failure', [
    "THEN ${failed('o')}",
    "THEN ${failed('excluded')}",
  ]),
  rows('an event that contradicts its operation changes the operation', [
    'if (isKnownStatus && claims.status !== facts.status) return null;',
    '',
  ]),
  held('a zero in a text ends the run', ["!text.includes('\\\\u') && ", '']),
  held('a name that stands twice is taken for all that was sent', [
    'if (names.has(decoded)) this.isWhole = false;',
    '',
  ]),
  tables('events of a sandbox and live ones are in one table', [
    'environment === place.environment && origin',
    'origin',
  ]),
  fence('a run that was taken over writes', [
    'WHERE f.holder = $1 AND f.sequence = $2::text::bigint RETURNING',
    "WHERE ($1, $2::text) <> ('', '') RETURNING",
  ]),
  fence('two runs have one table', [
    'WHERE f.holder IS NULL OR f.holder = $1',
    'WHERE true OR f.holder = $1',
  ]),
  fileFence('a run that was taken over writes into a file', [
    'sequence + 1 WHERE sequence = ?',
    'sequence + 1 WHERE sequence <> ? - 1',
  ]),
  writing('a table that was put back is gone on with as another run’s', [
    'now?.holder === token ? movedAway() : tablesTakenOver()',
    'tablesTakenOver()',
  ]),
  follow('the place moves before an event was accepted', [
    'let left = chosen.length;',
    'let left = chosen.length;\n      progress.turn(next);',
  ]),
  follow('an event that was accepted is handed over again', [
    'page.events.filter(({ id }) => !progress.has(id))',
    '[...page.events]',
  ]),
  progress('the hundredth event is not committed', [
    'this.#uncommitted >= eventsMax',
    'this.#uncommitted > eventsMax',
  ]),
  progress('a cursor that comes again forgets what was accepted behind it', [
    'if (cursor === this.#cursor) return;',
    '',
  ]),
  checkpoint('a damaged checkpoint is believed', [
    "if (sum !== sumOf(content)) return { kind: 'damaged' };",
    '',
  ]),
  checkpoint('a checkpoint of a newer program is read', [
    "if (content['version'] !== CHECKPOINT_VERSION) return { kind: 'newer' };",
    '',
  ]),
  selection('an event that cannot be read is left out', [
    'if (value === null) return true;',
    'if (value === null) return false;',
  ]),
  lag('an event that waits for ever is late by no more than its clock says', ['waitedMs ?? 0, ', '']),
  lag('a quiet feed is as late as its last event is old', ['Math.min(...bounds)', 'Math.max(...bounds)']),
  anyRun('where the end of the feed was seen once, all is accepted for ever', [
    'if (isEnd) this.#currentMs = this.#answeredMs;',
    'if (isEnd || this.#currentMs !== null) this.#currentMs = this.#answeredMs;',
  ]),
  standing('a service that owes an answer owes it since it was asked last', [
    'this.#askedMs ??=',
    'this.#askedMs =',
  ]),
  standing('a page in the middle of the feed is its end', [
    'if (isEnd) this.#currentMs = this.#answeredMs;',
    'this.#currentMs = this.#answeredMs;',
  ]),
  verdict('a place that is not kept is no reason to be red', [
    'if (isUnsaved(checkpoint, maxLagMs))',
    'if (maxLagMs < 0 && isUnsaved(checkpoint, maxLagMs))',
  ]),
  watch('a place that is on its way to the database is kept', [
    'if (durable === undefined) ended(true);',
    'ended(true);\n      if (durable === undefined) return;',
  ]),
  answer('a page of another site reads how the service is', [
    'name === given.toLowerCase();',
    "name === given.toLowerCase() || name !== '';",
  ]),
  notify('the watchdog is fed by whatever happens', [
    'const feeds = this.#progressed && watchdogMs !== null;',
    'const feeds = watchdogMs !== null;',
  ]),
  unitWords('a percent sign in a flag is a specifier of systemd', [".replaceAll('%', '%%')", '']),
  unitWords('a dollar in a flag is a variable of systemd', [".replaceAll('$', '$$$$')", '']),
  watch('an event counts as accepted when it is handed over', [
    'standing.holds(page, events);',
    'standing.holds(page, events);\n      standing.accepted(events);',
  ]),
  shared('a run that was taken over moves the checkpoint', [
    'WHERE c.checkpoint = $1 AND c.holder = $2 AND (c.sequence',
    'WHERE c.checkpoint = $1 AND (c.sequence',
  ]),
  shared('two runs have one checkpoint', [
    'WHERE ${IS_FREE} OR c.holder = $5',
    'WHERE true OR c.holder = $5',
  ]),
];
