import { heldBy } from './mutant.js';

const key = heldBy('payments/known/key');
const finding = heldBy('payments/decide-row');
const identity = heldBy('batches/check/identity');
const verdict = heldBy('payments/known/row-outcome');
const decision = heldBy('batches/run/resolve-row');
const tally = heldBy('storage/batches/tally');
const conditions = heldBy('batches/skip-pending');
const rowState = heldBy('storage/batches/row-state');
const clocks = heldBy('batches/run/shared');
const engine = heldBy('batches/run/shared', 'batches/run/rate');
const sendRow = heldBy('batches/run/shared', 'batches/run/rate');
const rowAges = heldBy('batches/run/engine');
const inHand = heldBy('batches/run/engine');
const rowClocks = heldBy('storage/batches/row-clocks');
const survey = heldBy('batches/check/clearance');
const statements = heldBy('storage/batches/several');
const workers = heldBy('storage/batches/several');
const joining = heldBy('storage/batches/several');
const sealing = heldBy('storage/batches/sealing');
const stamps = heldBy('storage/batches/leaving-stamp');
const stamped = heldBy('storage/batches/leaving-stamp');
const stampedTaking = heldBy('storage/batches/leaving-stamp');
const besideRows = heldBy('storage/batches/lost-answers');
const plans = heldBy('storage/batches/lost-answers');
const takeover = heldBy('batches/check/takeover');
const home = heldBy('storage/postgres/cluster');
const atHome = heldBy('storage/postgres/cluster');
const atHomeStatements = heldBy('storage/postgres/cluster');
const lease = heldBy('storage/postgres/cluster');
const takeovers = heldBy('batches/taken-over');
const taking = heldBy('storage/batches/sealing');
const retention = heldBy('batches/drop', 'batches/forget');
const companies = heldBy('batches/check/companies');
const paid = heldBy('batches/check/paid-rows');
const newest = heldBy('batches/check/newest');
const retry = heldBy('batches/retry');

export const bulk = [
  inHand('#checkHolders', 'a row is recorded with an operation that something else holds', [
    'if (heldRows.includes(row))',
    'if (false)',
  ]),
  inHand('end', 'a row whose answer is doubted when a run stops was never sent', [
    "doubtedOperation !== null || row.stateBefore === 'intent' ? 'unknown'",
    "row.stateBefore === 'intent' ? 'unknown'",
  ]),
  inHand('sendRow', 'what answers a doubted row the second time is believed', [
    'judgeAnswer( count === 1 && doubtedOperation !== null ? answerWith(doubtedOperation) : await attempt(row), ),',
    'count === 1 && doubtedOperation !== null ? judgeAnswer(answerWith(doubtedOperation)) : attempt(row),',
  ]),
  key('deriveKey', 'an id in capitals is another payment', [
    'isUuid(follows) ? follows.toLowerCase() : follows',
    'follows',
  ]),
  key('deriveKey', 'a try after a failure has the key of the failure', ['String(generation)]', "'1']"]),
  key('deriveKey', 'the same row of the sandbox and of live have one key', [
    '[scheme, environment, direction,',
    '[scheme, direction,',
  ]),
  retry('findCorrections', 'the payment of another month stands for a row that failed', [
    'sinceMs === null || sinceMs <=',
    'sinceMs === null || sinceMs >=',
  ]),
  retry('findCorrections', 'what the events tell of stands for a row that failed', [
    "source.kind !== 'feed' &&",
    'true ||',
  ]),
  retry('#claimRows', 'a retry takes unsent rows along', ['states, rowNumbers, nowMs', 'states, nowMs']),
  finding('decideRow', 'of two payments one is skipped', [
    'blocking.length === 1 && payment?.operation',
    'payment?.operation',
  ]),
  finding('decideRow', 'what stands in the way of an open row for ever refuses its batch', [
    'const blockStatus = isSkippable || sentAtMs === null ?',
    'const blockStatus = isSkippable || sentAtMs !== null ?',
  ]),
  finding('blockOpenRow', 'a row that is about to leave is an open one', [
    "(status === 'unknown' && source.kind === 'batch')",
    "source.kind === 'batch'",
  ]),
  finding('blockOpenRow', 'what waits for a person is never asked again', [
    'if (!isUncertain(state)) return null;',
    '',
  ]),
  finding('statusFromFeed', 'a payment of this very moment is an older one', [
    'atMs < sentAtMs - SERVICE_CLOCKS_MS',
    'atMs < sentAtMs',
  ]),
  finding('statusFromFeed', 'another amount settles an open row', [
    'if (morePayments.length > 0 || !matchesPayment(row, payment)) {',
    'if (morePayments.length > 0) {',
  ]),
  finding('statusFromFeed', 'a payment of a day later is the row’s own', [
    "if (atMs > sentAtMs + OWN_OPERATION_MAX_MS) return olderStatus(facts, 'later_payment');",
    '',
  ]),
  identity('isExcluded', 'a payment of the very moment counts as before it', [
    'atMs < sinceMs',
    'atMs <= sinceMs',
  ]),
  identity('nextGeneration', 'a failed try keeps its key', [
    'Math.max(1 + oldTries.size, leastGeneration)',
    'leastGeneration',
  ]),
  identity('nextGeneration', 'a key that failed here is asked again', [
    'while (youngTries.has(generation)) generation += 1;',
    '',
  ]),
  identity('nextGeneration', 'a try that only this machine may know of is counted', [
    'nowMs - atMs <= KEY_SAFE_MS',
    'false',
  ]),
  identity('tryOfPayment', 'a second payment of a reference has the key of the first', [
    'choice.newPayment ?? previous?.operation ?? null',
    'choice.newPayment ?? null',
  ]),
  finding('decideRow', 'a row follows a payment that is pending', [
    'previous === null || isFinal(previous.status)',
    'previous !== undefined',
  ]),
  verdict('judgeRow', 'a refusal settles a row that may have been paid', [
    "isOpen(stateBefore, attempts) ? 'unknown' : isDenied(last)",
    'isDenied(last)',
  ]),
  verdict('skippedStatus', 'what was left out while it was pending was paid', [
    'if (isFinal(operation.status)) return olderStatus(operation, SKIPPED_AS_PAID);',
    'return olderStatus(operation, SKIPPED_AS_PAID);',
  ]),
  verdict('rowStatusAfter', 'what was left out is pending for ever', [
    'if (rowStatus.code === SKIPPED_PENDING) return skippedStatus(operation);',
    '',
  ]),
  tally('countOf', 'what was left out while it was pending counts as earlier', [
    "state === 'earlier' && reason === SKIPPED_PENDING ? 'pending' : COUNT_OF[state]",
    'COUNT_OF[state]',
  ]),
  conditions('PENDING_REASON', 'what was left out while it was pending gives no reason', [
    "AND code = '${SKIPPED_PENDING}')",
    'AND false)',
  ]),
  verdict('judgeRow', 'a row that was put back never left', [
    "stateBefore === 'intent' ? 'unknown' : stateBefore",
    "stateBefore === 'intent' ? 'planned' : stateBefore",
  ]),
  verdict('mismatchedStatus', 'an answer about another payment confirms a row', [
    "state: 'needs_review', code: 'answer_mismatch'",
    "state: 'confirmed', code: 'answer_mismatch'",
  ]),
  decision('decideOperation', 'an operation of another reference may be decided for', [
    '!isSameReference(operation.reference, row.reference)',
    'operation.reference === row.reference && false',
  ]),
  decision('decideOperation', 'a row whose key made another payment is confirmed', [
    '!isKeyReused &&\n    !isHeld',
    '!isHeld',
  ]),
  tally('assertBalanced', 'money that goes missing is not noticed', [
    'plannedTotal?.rows !== rows || plannedTotal.minor !== minor',
    'plannedTotal?.rows !== rows',
  ]),
  rowState('SENDABLE', 'a row that only a person can decide is sent', [
    "'unavailable',\n  'unknown',\n] as const",
    "'unavailable',\n  'unknown',\n  'needs_review',\n] as const",
  ]),
  stamps('leavingStamps', 'the stamp of one row is that of all that left with it', [
    'Buffer.concat([stampKey, row])',
    'Buffer.concat([stampKey, Buffer.alloc(8)])',
  ]),
  stamps('leavingStamps', 'a row may have left at any moment', ['\\0${sentAtMs}\\0', '\\0']),
  stamps('leavingStamps', 'other clocks may have stood there', ["${clocks ?? ''}", '']),
  stamps('leavingStamps', 'a row without a stamp left when it says', [
    'if (stamp?.length !== EXCHANGE_BYTES + HASH_BYTES) return false;',
    'if (stamp?.length !== EXCHANGE_BYTES + HASH_BYTES) return true;',
  ]),
  stamped('exchangeOn', 'a row that left before is stamped again', [
    'left_seal = CASE WHEN r.sent_at IS NULL THEN ${stampOn([',
    'left_seal = CASE WHEN true THEN ${stampOn([',
  ]),
  stampedTaking('decryptRow', 'a moment that nobody wrote counts', [
    'if (!isOneOf(RETRIABLE, row.stateBefore)) seals.requireStamp(record);',
    '',
  ]),
  stampedTaking('decryptRow', 'a row whose try is over is held to when it left', [
    'if (!isOneOf(RETRIABLE, row.stateBefore)) seals',
    'seals',
  ]),
  sealing('sealsOf', 'a row of another batch fits into this one', [
    'const parts = [batchText, number, line,',
    'const parts = [number, line,',
  ]),
  sealing('sealsOf', 'a row of the sandbox fits into a live batch', [
    '[environment, direction, name]',
    '[direction, name]',
  ]),
  sealing('sealsOf', 'a row of a payout fits into a batch of pay-ins', [
    '[environment, direction, name]',
    '[environment, name]',
  ]),
  sealing('sealsOf', 'a row with another line in its file is what was planned', [
    '[batchText, number, line,',
    '[batchText, number,',
  ]),
  sealing('bodyContext', 'the body of a try before is that of this one', [
    '\\0${String(number)}\\0${String(generation)}`',
    '\\0${String(number)}`',
  ]),
  sealing('bodyContext', 'the body of another batch is that of this one', [
    '`svc body\\0${batchText}\\0',
    '`svc body\\0',
  ]),
  sealing('sealsOf', 'a row is sent whatever its seal is', [
    'Buffer.compare(sealOf(record, body), seal) !== 0',
    'seal.length === 0',
  ]),
  taking('decryptRows', 'rows that never left wait for a person because another one is damaged', [
    "const neverSentNumbers = records.filter(({ state }) => state === 'planned').map(({ number }) => number);",
    'const neverSentNumbers: number[] = [];',
  ]),
  besideRows('decide', 'a decision whose answer was lost is refused as one of somebody else', [
    'if (count === 1 || (await connection.run(DECISION_OF_TOKEN, [token])).count === 1) return;',
    'if (count === 1) return;',
  ]),
  besideRows('DECIDE', 'a decision whose answer was lost is written down twice', [
    ' AND NOT EXISTS (${DECISION_OF_TOKEN})',
    '',
  ]),
  plans('announceChange', 'an announcement whose answer was lost counts as that of somebody else', [
    ' OR (count = $1 + 1 AND last = $2)',
    '',
  ]),
  takeover('settleTakeover', 'a batch that another server keeps now is sent as it stands there', [
    'if (server === null) return;',
    'return;',
  ]),
  takeover('settleTakeover', 'the feed is not read for it where that was to be skipped', [
    "bringUpToDate('always')",
    'bringUpToDate()',
  ]),
  takeover(
    'resultAfterTakeover',
    'a payment that another row or a single create holds is taken for its own',
    [" || payment.source.kind !== 'feed'", ''],
  ),
  takeover('resultAfterTakeover', 'a payment from before the batch is taken for its own', [
    'if (madeMs < batch.createdAtMs - SERVICE_CLOCKS_MS) return null;',
    '',
  ]),
  takeover(
    'resultAfterTakeover',
    'a payment whose key the service may have forgotten is asked for once more',
    ['&& isRepeatable(madeMs)', ''],
  ),
  takeover(
    'resultAfterTakeover',
    'a row that failed and was paid after all is sent with the key that failed',
    ['!isRetriable && payment.atMs', 'payment.atMs'],
  ),
  home('isHome', 'a worker goes on with a replica that was promoted since it joined', [
    '(${cluster} IS NOT DISTINCT FROM ${clusterParameter}::text AND ${timeline} IS NOT DISTINCT FROM ${timelineParameter}::integer)',
    '(${cluster} IS NOT DISTINCT FROM ${clusterParameter}::text AND (${timeline} IS NULL) = (${timelineParameter}::integer IS NULL))',
  ]),
  atHome('joinBatch', 'rows that were looked at on one server are sent as another one has them', [
    "mode === 'send' ? null : await servers.now()",
    'await servers.now()',
  ]),
  atHomeStatements(
    'exchangeOn',
    'what became of rows is said to a server that knows others by these numbers',
    ['AND r.number = x.number AND (SELECT home FROM server) AND CASE', 'AND r.number = x.number AND CASE'],
  ),
  lease('#renewNow', 'a lease renewed by a server that took over was away too long, and not forgotten', [
    'if (record?.home === false) this.loseCommits();',
    'if (record?.home === false) this.noteAnswer(startMoment, false, null);',
  ]),
  takeovers('takeoverChecks', 'a replica that was promoted is the server that it was', [
    ' && trustedServer.timeline === server.timeline',
    '',
  ]),
  takeovers('takeoverChecks', 'a store that was moved to another server is in no doubt', [
    'trustedServer?.cluster === server.cluster && trustedServer.timeline',
    'trustedServer?.timeline',
  ]),
  retention('SETTLED_STATES', 'the body of a row that is not settled is dropped', [
    "const SETTLED_STATES = ['confirmed', 'earlier']",
    "const SETTLED_STATES = ['confirmed', 'earlier', 'unknown']",
  ]),
  clocks('clocksDifferFailure', 'clocks that are apart are not compared', [
    'Math.abs(databaseAheadMs) <= CLOCK_DIFFERENCE_MAX_MS',
    'CLOCK_DIFFERENCE_MAX_MS > 0',
  ]),
  clocks('clocksDifferFailure', 'a database that is behind the service is not noticed', [
    'Math.abs(databaseAheadMs) <= CLOCK_DIFFERENCE_MAX_MS',
    'databaseAheadMs <= CLOCK_DIFFERENCE_MAX_MS',
  ]),
  sendRow('sendRow', 'a row leaves though the clocks came apart', [
    'if (clockFailure !== null) gate.fail(clockFailure);',
    '',
  ]),
  sendRow('turnWaiter', 'the rate is that of each run', [
    'if (worker === null) return () => gate.pass();',
    'return () => gate.pass();',
  ]),
  rowAges('reasonToKeep', 'a row of an earlier run leaves by what this run may', [
    'if (!isUncertain(stateBefore)) return mayResend(sentMoment) ? null : TOO_OLD_STATUS;',
    'if (mayResend(sentMoment)) return null;',
  ]),
  rowClocks('sentMomentOf', 'what is damaged proves a time', [
    'const serviceMs = text === null && sharedMs',
    'const serviceMs = sharedMs',
  ]),
  survey('settleTooOld', 'what may have changed stays for a person', [
    'return mayBeSettledByRun(row) ? [resultOf(row, { ...row, state })] : [];',
    'return [];',
  ]),
  sendRow('turnWaiter', 'a moment that was missed is used behind a pause', [
    ' || remainingMs < -TIMER_DELAY_MAX_MS)',
    ')',
  ]),
  engine('runOnce', 'a pause of one is none for the others', ['if (pauseMs > 0) gate.pause(pauseMs);', '']),
  engine('runOnce', 'a stop is not told to the others', [
    'if (stop !== null && stopsAllWorkers(stop)) await worker?.stop(stop);',
    '',
  ]),
  engine('runOnce', 'a stop of another run is not heard', ['if (stopped !== null) gate.close(stopped);', '']),
  engine('runOnce', 'the others are not told that nobody is answered', [
    'worker?.reportSilentRows(brake.silentCount);',
    '',
  ]),
  workers('controlOf', 'the silence of one counts for all', [
    'CASE WHEN min(s.silent) > 0 THEN',
    'CASE WHEN true THEN',
  ]),
  statements('exchangeOn', 'a claim reserves one moment for all its rows', [
    "nextSlot('(SELECT count(*) FROM pick)')",
    "nextSlot('1')",
  ]),
  joining('joinBatch', 'a run comes with a rate of its own', [
    'ratePerSecond !== batchRow.rate)',
    'ratePerSecond === batchRow.rate)',
  ]),
  survey('refuseNewSingles', 'a single create of another company stands in the way', [
    '.filter(mayBeOwn)) {',
    ') {',
  ]),
  survey('refuseNewSingles', 'a new single create is skipped without a word', [
    'skipsPaid: false }',
    'skipsPaid: question.skipsPaid }',
  ]),
  survey('renewRows', 'a row that was rejected loses its key', ['(isFailed ? 1 : 0)', '1']),
  companies('ownersOf', 'a company is proved by its first row or not at all', [
    'rows.find((row) => row.operation !== null)?.operation ?? null',
    'rows[0]?.operation ?? null',
  ]),
  paid('add', 'what nobody dates is ages old', ['atMs ?? this.nowMs', 'atMs ?? 0']),
  paid('add', 'what cannot be repeated comes first', [
    'openPayments.find((one) => !isForgotten(one)) ?? openPayments[0]',
    'openPayments[0]',
  ]),
  paid('#newPaymentCommand', 'beside a pending payment another one is offered', [
    'this.#pendingCount + this.#waitingCount',
    '0',
  ]),
  paid('agoText', 'two days to the hour are 48 hours', ['hours < 48', 'hours <= 48']),
  newest('highestRanked', 'of two that are equally new the first is the newest', [
    'rankOf(payment) >= rankOf(highest)',
    'rankOf(payment) > rankOf(highest)',
  ]),
];
