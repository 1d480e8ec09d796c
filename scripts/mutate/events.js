import { heldBy } from './mutant.js';

const follow = heldBy('feed/follow');
const progress = heldBy('feed/follow');
const checkpoint = heldBy('storage/checkpoints/checkpoint');
const shared = heldBy('feed/shared-checkpoint');
const lag = heldBy('events/service/health');
const anyRun = heldBy('events/service/any-run');
const standing = heldBy('events/service/health');
const verdict = heldBy('events/service/health', 'events/service/watch');
const answer = heldBy('events/service/answer');
const notify = heldBy('events/service/notify');
const watch = heldBy('events/service/watch');
const selection = heldBy('feed/selection');

const filling = heldBy('events/fill-tables');
const preferred = heldBy('events/into/sqlite/writing', 'events/fill-tables');
const rows = heldBy('events/fill-tables');
const held = heldBy('events/fill-tables');
const tables = heldBy('events/fill-tables');
const fence = heldBy('events/fill-tables');
const fileFence = heldBy('events/fill-tables');
const writing = heldBy('events/into/postgres/writing', 'events/into-postgres');
const fileWriting = heldBy('events/into/sqlite/writing');
const waiting = heldBy('events/into/batch');

export const events = [
  fileWriting('fileWriter', 'a backup ends the follower', [
    "error.problem === 'busy'",
    "error.problem === 'gone'",
  ]),
  preferred('preferredSql', 'an event that comes again stays as it was', [
    'WHEN o.${eventColumn} = excluded.${eventColumn} THEN true',
    'WHEN o.${eventColumn} = excluded.${eventColumn} THEN false',
  ]),
  writing('writerOver', 'a lease that is renewed beside a batch is lost to it', [
    '!isWriting && sequenceBefore',
    'sequenceBefore',
  ]),
  filling('tableFillerOf', 'the place is committed without the events before it', [
    'table.write(batchToWrite, position)',
    'table.write(new EventBatch(batchToWrite.lastNumber), position)',
  ]),
  heldBy('events/into-postgres')('tableFillerOf', 'a write that failed is heard of with the next event', [
    'failure.abort(error);',
    '',
  ]),
  preferred('preferredSql', 'of a payment that failed and was confirmed the table keeps the failure', [
    "THEN o.status = 'failed'",
    "THEN excluded.status = 'failed'",
  ]),
  rows('operationOf', 'an event that contradicts its operation changes the operation', [
    "operation === null || typeof operation === 'string' ||",
    'operation === null ||',
  ]),
  held('storableJson', 'a zero in a text ends the run', ["!text.includes('\\\\u') && ", '']),
  held('storableJson', 'a name that stands twice is taken for all that was sent', [
    'if (names.size < entries.length) isUnchanged = false;',
    '',
  ]),
  tables('requireSameFeed', 'events of a sandbox and live ones are in one table', [
    'environment === source.environment && origin',
    'origin',
  ]),
  fence('writeSql', 'a run that was taken over writes', [
    'WHERE f.holder = $1 AND f.sequence = $2::text::bigint RETURNING',
    "WHERE ($1, $2::text) <> ('', '') RETURNING",
  ]),
  fence('HOLD_FEED', 'two runs have one table', [
    'WHERE f.holder IS NULL OR f.holder = $1',
    'WHERE true OR f.holder = $1',
  ]),
  fileFence('MOVE_FEED', 'a run that was taken over writes into a file', [
    'sequence + 1 WHERE sequence = ?',
    'sequence + 1 WHERE sequence <> ? - 1',
  ]),
  writing('writerOver', 'a table that was put back is gone on with as another run’s', [
    'presentHolder?.holder === token ? positionChangedFailure() : leaseLostFailure()',
    'leaseLostFailure()',
  ]),
  follow('follow', 'the place moves before an event was accepted', [
    'let remaining = selectedEvents.length;',
    'let remaining = selectedEvents.length;\n      progress.turn(next, last);',
  ]),
  follow('follow', 'an event that was accepted is handed over again', [
    'page.events.filter(({ id }) => !repeatedIds.has(id) && !progress.has(id))',
    '[...page.events]',
  ]),
  progress('commitIfDue', 'the hundredth event is not committed', [
    'this.#uncommitted >= eventsMax',
    'this.#uncommitted > eventsMax',
  ]),
  progress('moveTo', 'a restart does not know which event it ended with', [
    '[this.#cursor, this.#eventBeforeCursor] = [cursor, last];',
    'this.#cursor = cursor;',
  ]),
  progress('moveTo', 'a cursor that comes again forgets what was accepted behind it', [
    'if (cursor === this.#cursor) return;',
    '',
  ]),
  checkpoint('readCheckpoint', 'a damaged checkpoint is believed', [
    "if (sum !== checkSumOf(content)) return { kind: 'damaged' };",
    '',
  ]),
  checkpoint('readCheckpoint', 'a checkpoint of a newer program is read', [
    "if (content['version'] !== FORMAT_VERSION) return { kind: 'newer' };",
    '',
  ]),
  selection('selectionOf', 'an event that cannot be read is left out', [
    'if (!isObject(value)) return true;',
    'if (!isObject(value)) return false;',
  ]),
  lag('lagOf', 'an event that waits for ever is late by no more than its clock says', [
    'waitedMs ?? 0, ',
    '',
  ]),
  lag('lagOf', 'a quiet feed is as late as its last event is old', [
    'Math.min(...bounds)',
    'Math.max(...bounds)',
  ]),
  anyRun('onPassed', 'where the end of the feed was seen once, all is accepted for ever', [
    'if (isEnd) this.#caughtUpMs = this.#answeredMs;',
    'if (isEnd || this.#caughtUpMs !== null) this.#caughtUpMs = this.#answeredMs;',
  ]),
  standing('onRequest', 'a service that owes an answer owes it since it was asked last', [
    'this.#askedMs ??=',
    'this.#askedMs =',
  ]),
  standing('onPassed', 'a page in the middle of the feed is its end', [
    'if (isEnd) this.#caughtUpMs = this.#answeredMs;',
    'this.#caughtUpMs = this.#answeredMs;',
  ]),
  verdict('judge', 'a place that is not kept is no reason to be red', [
    'if (isUnsaved(checkpoint, maxLagMs))',
    'if (maxLagMs < 0 && isUnsaved(checkpoint, maxLagMs))',
  ]),
  watch('watchFollower', 'a place that is on its way to the database is kept', [
    'if (durable === undefined) endSave(true);',
    'endSave(true);\n      if (durable === undefined) return;',
  ]),
  answer('isOwnHost', 'a page of another site reads how the service is', [
    'name === listeningHost.toLowerCase();',
    "name === listeningHost.toLowerCase() || name !== '';",
  ]),
  notify('#sendReport', 'the watchdog is fed by whatever happens', [
    'const feedsWatchdog = this.#hasProgressed && watchdogMs !== null;',
    'const feedsWatchdog = watchdogMs !== null;',
  ]),
  watch('watchFollower', 'an event counts as accepted when it is handed over', [
    'state.onWaiting(page, events);',
    'state.onWaiting(page, events);\n      state.onAccepted(events);',
  ]),
  shared('SAVE_CHECKPOINT', 'a run that was taken over moves the checkpoint', [
    'WHERE c.checkpoint = $1 AND c.holder = $2 AND (c.sequence',
    'WHERE c.checkpoint = $1 AND (c.sequence',
  ]),
  shared('HOLD_CHECKPOINT', 'two runs have one checkpoint', [
    'WHERE ${IS_FREE} OR c.holder = $5',
    'WHERE true OR c.holder = $5',
  ]),
  waiting('add', 'of two events of an operation in one batch the last one counts', [
    'oldState === undefined ? operation : chooseEvent(oldState, operation)',
    'operation',
  ]),
  waiting('tableFillerOf', 'a page is read for every batch that is not written', [
    'await earlierWrite;',
    'void earlierWrite;',
  ]),
  waiting('positionIn', 'a position that was changed by hand is gone on with', [
    " && ids.every((id) => typeof id === 'string')",
    '',
  ]),
  waiting('storableId', 'an id of 200 characters is known by its digest', [
    'id.length <= ID_CHARACTERS_MAX',
    'id.length < ID_CHARACTERS_MAX',
  ]),
  waiting('momentAt', 'the last moment that a table holds is not held', [
    'ms > LAST_MOMENT_MS',
    'ms >= LAST_MOMENT_MS',
  ]),
  fileWriting('fileWriter', 'an index is made in the middle of the first reading', [
    'isIdle = false;\n        try',
    'try',
  ]),
  fileWriting('takeRepeatedRows', 'what stands twice is put back in another order', [
    ' ORDER BY rowid',
    ' ORDER BY rowid DESC',
  ]),
  writing('tableFailure', 'a commit that its standbys did not see ends the run', [
    "error.facts.code === 'commit_not_replicated' ? awayError(error) : error",
    'error',
  ]),
  writing('writerOver', "tables that were written beside the beat are taken for another run's", [
    'sequenceBefore === sequence && renewedRow.sequence',
    'renewedRow.sequence',
  ]),
  verdict('judge', 'half of a lag does not say what it comes from', ['ms * 2 >= lagMs', 'ms * 2 > lagMs']),
  verdict('begin', 'pages of a reading that ended are still to come', [
    '[this.#pageInHand, this.#askedMs, this.#readAhead] = [null, null, 0];',
    '[this.#pageInHand, this.#askedMs] = [null, null];',
  ]),
  verdict('onAccepted', 'who is fed event by event looks stuck', [
    'waiting: waiting.slice(events.length), sinceMs: this.clocks.monotonic()',
    'waiting: waiting.slice(events.length), sinceMs: this.#pageInHand.sinceMs',
  ]),
  verdict('statusLine', 'an event that waits for a second is no alarm', [
    'firstWaiting.waitedMs >= 1000',
    'firstWaiting.waitedMs > 1000',
  ]),
  watch('watchFollower', 'a place that is not durable goes on being saved', [
    'else durable().then(() => endSave(true), noteFailure);',
    'else durable().then(() => endSave(true), () => undefined);',
  ]),
];
