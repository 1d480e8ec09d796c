/** Mistakes in batches: which rows leave, under which key, and what became of them. */
import { inFile } from './mutant.js';

const key = inFile('bulk/key.ts', 'bulk/key');
const finding = inFile('bulk/check/finding.ts', 'bulk/check/finding');
const identity = inFile('bulk/check/identity.ts', 'bulk/check/identity');
const verdict = inFile('bulk/run/verdict.ts', 'bulk/run/verdict');
const decision = inFile('bulk/run/decision.ts', 'bulk/run/decision');
const tally = inFile('bulk/tally.ts', 'bulk/tally');
const conditions = inFile('bulk/store/conditions.ts', 'commands/batches/skip-pending');
const rowState = inFile('bulk/row-state.ts', 'bulk/row-state');
const clocks = inFile('bulk/run/clocks.ts', 'bulk/run/shared');
const engine = inFile('bulk/run/engine.ts', 'bulk/run/shared', 'bulk/run/rate');
const sendRow = inFile('bulk/run/send-row.ts', 'bulk/run/shared', 'bulk/run/rate');
const rowAges = inFile('bulk/run/send-row.ts', 'bulk/run/engine');
const rowClocks = inFile('bulk/store/row-clocks.ts', 'bulk/store/row-clocks');
const survey = inFile('bulk/check/survey.ts', 'bulk/check/clearance');
const statements = inFile('bulk/store/postgres/exchange-statements.ts', 'bulk/store/several');
const workers = inFile('bulk/store/postgres/worker-statements.ts', 'bulk/store/several');
const joining = inFile('bulk/store/postgres/joining.ts', 'bulk/store/several');
const sealing = inFile('bulk/store/postgres/sealing.ts', 'bulk/store/sealing');
const stamps = inFile('bulk/store/postgres/leaving-stamp.ts', 'bulk/store/leaving-stamp');
const stamped = inFile('bulk/store/postgres/exchange-statements.ts', 'bulk/store/leaving-stamp');
const stampedTaking = inFile('bulk/store/postgres/taking.ts', 'bulk/store/leaving-stamp');
const besideRows = inFile('bulk/store/postgres/beside-rows.ts', 'bulk/store/lost-answers');
const plans = inFile('bulk/store/postgres/plans.ts', 'bulk/store/lost-answers');
const takeover = inFile('bulk/check/takeover.ts', 'bulk/check/takeover');
const home = inFile('bulk/store/postgres/home.ts', 'state/cluster');
const atHome = inFile('bulk/store/postgres/joining.ts', 'state/cluster');
const atHomeStatements = inFile('bulk/store/postgres/exchange-statements.ts', 'state/cluster');
const lease = inFile('bulk/store/postgres/lease.ts', 'state/cluster');
const takeovers = inFile('bulk/store/postgres/takeovers.ts', 'commands/batches/taken-over');
const taking = inFile('bulk/store/postgres/taking.ts', 'bulk/store/sealing');
const retention = inFile('bulk/retention.ts', 'commands/batches/drop', 'commands/batches/forget');

export const bulk = [
  key('a second payment of a reference has the key of the first', ['String(ordinal), ', '']),
  key('a try after a failure has the key of the failure', ['String(generation)]', "'1']"]),
  key('the same row of the sandbox and of live have one key', [
    '[SCHEME, environment, direction,',
    '[SCHEME, direction,',
  ]),
  finding('of two payments one is skipped', ['others.length === 1 && only?.operation', 'only?.operation']),
  finding('a payment of this very moment is an older one', [
    'atMs >= leftMs - SERVICE_CLOCKS_MS',
    'atMs >= leftMs',
  ]),
  finding('another amount settles an open row', [
    'if (more.length > 0 || !agrees(row, only)) {',
    'if (more.length > 0) {',
  ]),
  finding('a payment of a day later is the row’s own', [
    "if ((only.atMs ?? 0) > leftMs + OWN_MAX_MS) return olderStanding(claims, 'later_payment');",
    '',
  ]),
  identity('a payment of the very moment counts as before it', ['atMs < sinceMs', 'atMs <= sinceMs']),
  identity('a failed try keeps its key', ['return 1 + Math.max(failed.size,', 'return 1 + Math.max(0,']),
  verdict('a refusal settles a row that may have been paid', [
    "isOpen(before, attempts) ? 'unknown' : isDenied(last)",
    'isDenied(last)',
  ]),
  verdict('what was left out while it was pending was paid', [
    'if (isFinal(operation.status)) return olderStanding(operation, SKIPPED_AS_PAID);',
    'return olderStanding(operation, SKIPPED_AS_PAID);',
  ]),
  verdict('what was left out is pending for ever', [
    'if (standing.code === SKIPPED_PENDING) return skippedStanding(operation);',
    '',
  ]),
  tally('what was left out while it was pending counts as earlier', [
    "state === 'earlier' && reason === SKIPPED_PENDING ? 'pending' : COUNT_OF[state]",
    'COUNT_OF[state]',
  ]),
  conditions('what was left out while it was pending gives no reason', [
    "AND code = '${SKIPPED_PENDING}')",
    'AND false)',
  ]),
  verdict('a row that was put back never left', [
    "before === 'intent' ? 'unknown' : before",
    "before === 'intent' ? 'planned' : before",
  ]),
  verdict('an answer about another payment confirms a row', [
    "state: 'needs_review', code: 'answer_mismatch'",
    "state: 'confirmed', code: 'answer_mismatch'",
  ]),
  decision('an operation of another reference may be decided for', [
    'foldReference(operation.reference) !== foldReference(row.reference)',
    'operation.reference === row.reference && false',
  ]),
  decision('a row whose key made another payment is confirmed', ['!isReused &&\n    !isHeld', '!isHeld']),
  tally('money that goes missing is not noticed', [
    'planned?.rows !== rows || planned.minor !== minor',
    'planned?.rows !== rows',
  ]),
  rowState('a row that only a person can decide is sent', [
    "'unavailable',\n  'unknown',\n] as const",
    "'unavailable',\n  'unknown',\n  'needs_review',\n] as const",
  ]),
  stamps('the stamp of one row is that of all that left with it', [
    'Buffer.concat([part, row])',
    'Buffer.concat([part, Buffer.alloc(8)])',
  ]),
  stamps('a row may have left at any moment', ['\\0${String(sentAtMs)}\\0', '\\0']),
  stamps('other clocks may have stood there', ["${clocks ?? ''}", '']),
  stamps('a row without a stamp left when it says', [
    'if (stamp?.length !== EXCHANGE_BYTES + HASH_BYTES) return false;',
    'if (stamp?.length !== EXCHANGE_BYTES + HASH_BYTES) return true;',
  ]),
  stamped('a row that left before is stamped anew', [
    'left_seal = CASE WHEN r.sent_at IS NULL THEN ${stampOn([',
    'left_seal = CASE WHEN true THEN ${stampOn([',
  ]),
  stampedTaking('a moment that nobody wrote counts', [
    'if (!isOneOf(RETRIABLE, row.before)) seals.requireStamp(record);',
    '',
  ]),
  stampedTaking('a row whose try is over is held to when it left', [
    'if (!isOneOf(RETRIABLE, row.before)) seals',
    'seals',
  ]),
  sealing('a row of another batch fits into this one', [
    'const parts = [batch, number, line,',
    'const parts = [number, line,',
  ]),
  sealing('a row of the sandbox fits into a live batch', [
    '[environment, direction, name]',
    '[direction, name]',
  ]),
  sealing('a row of a payout fits into a batch of pay-ins', [
    '[environment, direction, name]',
    '[environment, name]',
  ]),
  sealing('a row with another line in its file is what was planned', [
    '[batch, number, line,',
    '[batch, number,',
  ]),
  sealing('the body of a try before is that of this one', [
    '\\0${String(number)}\\0${String(generation)}`',
    '\\0${String(number)}`',
  ]),
  sealing('the body of another batch is that of this one', ['`svc body\\0${batch}\\0', '`svc body\\0']),
  sealing('a row is sent whatever its seal is', [
    'Buffer.compare(sealOf(record, body), seal) !== 0',
    'seal.length === 0',
  ]),
  taking('rows that never left wait for a person because another one is damaged', [
    "const fresh = records.filter(({ state }) => state === 'planned').map(({ number }) => number);",
    'const fresh: number[] = [];',
  ]),
  besideRows('a decision whose answer was lost is refused as one of somebody else', [
    'if (count === 1 || (await connection.run(DECIDED, [token])).count === 1) return;',
    'if (count === 1) return;',
  ]),
  besideRows('a decision whose answer was lost is written down twice', [' AND NOT EXISTS (${DECIDED})', '']),
  plans('an announcement whose answer was lost counts as that of somebody else', [
    ' OR (count = $1 + 1 AND last = $2)',
    '',
  ]),
  takeover('a batch that another server keeps now is sent as it stands there', [
    'if (server === null) return;',
    'return;',
  ]),
  takeover('the feed is not read for it where that was to be skipped', [
    "bringUpToDate('whatever')",
    'bringUpToDate()',
  ]),
  takeover('a payment that another row or a single create holds is taken for its own', [
    " || only.source.kind !== 'feed'",
    '',
  ]),
  takeover('a payment from before the batch is taken for its own', [
    'if (madeMs < batch.createdAtMs - SERVICE_CLOCKS_MS) return null;',
    '',
  ]),
  takeover('a payment whose key the service may have forgotten is asked for once more', [
    '&& isRepeatable(madeMs)',
    '',
  ]),
  takeover('a row that failed and was paid after all is sent with the key that failed', [
    '!isRetriable && only.atMs',
    'only.atMs',
  ]),
  home('a worker goes on with a replica that was promoted since it joined', [
    '(${cluster} IS NOT DISTINCT FROM ${at}::text AND ${timeline} IS NOT DISTINCT FROM ${since}::integer)',
    '(${cluster} IS NOT DISTINCT FROM ${at}::text AND (${timeline} IS NULL) = (${since}::integer IS NULL))',
  ]),
  atHome('rows that were looked at on one server are sent as another one has them', [
    "mode === 'send' ? null : await servers.now()",
    'await servers.now()',
  ]),
  atHomeStatements('what became of rows is said to a server that knows others by these numbers', [
    'AND r.number = x.number AND (SELECT home FROM server) AND CASE',
    'AND r.number = x.number AND CASE',
  ]),
  lease('whoever is renewed by a server that took over was away too long, and not forgotten', [
    'if (renewed?.home === false) this.loseCommits();',
    'if (renewed?.home === false) this.heard(since, false, null);',
  ]),
  takeovers('a replica that was promoted is the server that it was', [
    ' && kept.timeline === now.timeline',
    '',
  ]),
  takeovers('a store that was moved to another server is in no doubt', [
    'kept?.cluster === now.cluster && kept.timeline',
    'kept?.timeline',
  ]),
  retention('the body of a row that is not settled is dropped', [
    "const SETTLED = ['confirmed', 'earlier']",
    "const SETTLED = ['confirmed', 'earlier', 'unknown']",
  ]),
  clocks('clocks that are apart are not compared', ['Math.abs(aheadMs) <= APART_MS', 'APART_MS > 0']),
  clocks('a database that is behind the service is not noticed', [
    'Math.abs(aheadMs) <= APART_MS',
    'aheadMs <= APART_MS',
  ]),
  sendRow('a row leaves though the clocks came apart', ['if (apart !== null) gate.fail(apart);', '']),
  sendRow('the rate is that of each run', [
    'if (worker === null) return () => gate.pass();',
    'return () => gate.pass();',
  ]),
  rowAges('a row of an earlier run leaves by what this run may', [
    'if (!isUncertain(before)) return mayGoOn(left) ? null : TOO_OLD;',
    'if (mayGoOn(left)) return null;',
  ]),
  rowClocks('what is damaged proves a time', [
    'const serviceMs = text === null && sharedMs',
    'const serviceMs = sharedMs',
  ]),
  survey('what the clocks did not say stays for a person', [
    "return isUnsure(row) ? [resultOf(row, { ...row, state: 'unknown' })] : [];",
    'return [];',
  ]),
  sendRow('a moment that was missed is used behind a pause', [' || leftMs < -MISSED_MS)', ')']),
  engine('a pause of one is none for the others', ['if (pauseMs > 0) gate.pause(pauseMs);', '']),
  engine('a stop is not told to the others', [
    'if (stop !== null && isOfAll(stop)) await worker?.stop(stop);',
    '',
  ]),
  engine('a stop of another run is not heard', ['if (stopped !== null) gate.close(stopped);', '']),
  engine('the others are not told that nobody is answered', ['worker?.silent(brake.silent);', '']),
  workers('the silence of one counts for all', ['CASE WHEN min(s.silent) > 0 THEN', 'CASE WHEN true THEN']),
  statements('a claim reserves one moment for all its rows', [
    "nextSlot('(SELECT count(*) FROM pick)')",
    "nextSlot('1')",
  ]),
  joining('a run comes with a rate of its own', [
    'ratePerSecond !== first.rate)',
    'ratePerSecond === first.rate)',
  ]),
];
