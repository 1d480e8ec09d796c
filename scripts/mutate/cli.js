import { heldBy } from './mutant.js';

const forgotten = heldBy('batches/taken-over');
const argv = heldBy('command/line/argv');
const body = heldBy('payments/body-flags');
const interaction = heldBy('command/line/terminal');
const report = heldBy('command/report');
const keyPrint = heldBy('session/key-print');
const holders = heldBy('payments/known/holders');
const settling = heldBy('payments/create/send');
const keyed = heldBy('payments/create/send');
const durableAnswer = heldBy('payments/create/durable');
const verdict = heldBy('payments/decide');
const singles = 'payments/create/singles';
const name = heldBy(singles);
const standing = heldBy(singles);
const derived = heldBy(singles);
const reused = heldBy(singles);
const insisting = heldBy(singles);
const fromEvents = heldBy(singles);
const refused = heldBy(singles);
const asking = heldBy(singles);
const next = heldBy('command/next');
const guarding = heldBy('session/guard/open-guard');
const confirmation = heldBy('program/live');
const beside = heldBy('payments/operations/short-ids', 'payments/operations/find');
const shortId = heldBy('payments/operations/short-ids');
const search = heldBy('payments/operations/list', 'payments/operations/find');
const youngEnd = heldBy('payments/operations/young-end', 'batches/old-end');
const provedFeed = heldBy('batches/old-end', 'batches/forged-mirror', 'payments/create/forged-mirror');
const byId = heldBy('payments/operations/list');
const moment = heldBy('runtime/typed-time');
const since = heldBy('command/line/since');
const lookingUp = heldBy('command/read');

const summary = heldBy('batches/shared-live');
const sharing = heldBy('batches/sealed');

const applied = heldBy('batches/apply');
const approved = heldBy('batches/approved');
const retryTotal = heldBy('batches/retry');

export const cli = [
  holders('rowsHeldElsewhere', 'an operation in capitals is another one', [
    'recordsById.get(id.toLowerCase())?.some',
    'recordsById.get(id)?.some',
  ]),
  holders('holdersFor', 'a row holds its operation against itself', [
    'records.filter((one) => one.place !== place)',
    'records',
  ]),
  approved('confirmTotals', 'a plan that nobody approved confirms its own total', [
    'approvedPlan !== undefined && approvedPlan.approvals > 0 ?',
    'approvedPlan !== undefined ?',
  ]),
  retryTotal('confirmAndSend', 'the line that was stopped no longer confirms what it did at first', [
    'confirmation === null ? []',
    'true ? []',
  ]),
  applied('approvalsNeeded', 'the command line names the list of signers in place of the policy', [
    '(policyApprovals > 0 ||',
    '(false ||',
  ]),
  applied('requireCompanyOfPlan', 'a plan goes to another company', [
    'if ((await lookUp(company.operation, run)) !== null) return;',
    'return;',
  ]),
  approved('matchesBody', 'a row counts as another payment than its body is', [
    'storedRow.reference === row.reference &&',
    '',
  ]),
  approved('differingFact', 'payments count from another moment on than was signed', [
    'if (since !== head.since)',
    'if (false)',
  ]),
  approved('expiryGuard', 'what never left goes on leaving when a plan ends on the way', [
    'isOver ||= nowMs === null || hasExpired(approvedPlan.head, nowMs);',
    '',
  ]),
  approved('requireApproved', 'another plan goes on with the batch of its name', [
    'batch.approval?.digest !== plan.digest',
    'false',
  ]),
  approved('isOwnOperation', 'a row that was not answered keeps its own plan from going on', [
    'isOneOf(OPEN_STATES, row.state)',
    'false',
  ]),
  argv('refuseKeys', 'a key of the sandbox stands in an argument list', [
    '/svc_(live|test)_/i.test(argument)',
    '/svc_live_/i.test(argument)',
  ]),
  argv('beforeDashes', '--help behind -- is no value any more', [
    "const end = argv.indexOf('--');",
    'const end = -1;',
  ]),
  body('assigned', 'of two values for one field the last one is sent', [
    'if (assignedPaths.has(path)) throw usageFailure(`${assignment.flag} sets ${path} twice: keep one.`);',
    '',
  ]),
  body('requireNamesOnce', 'of a name that the data repeats the last one is sent', [
    'if (repeatedMember !== null) throw usageFailure(`${sourceName} has ${repeatedMember} twice: keep one.`);',
    '',
  ]),
  interaction('isPersonThere', 'a build server is asked', [" && !isSet(ports.env['CI'])", '']),
  report('exitCodeOf', 'a defect ends as a success', [
    '? error.exitCode : toFailure(error).exitCode;',
    '? error.exitCode : 0;',
  ]),
  settling('settleRequest', 'an unknown outcome leaves the book', [
    "if (outcome === 'unknown') await journal.keepOpen(request, times);",
    "if (outcome === 'unknown') await journal.withdraw(request);",
  ]),
  keyed('sendRecorded', 'the key of a create is not said', [
    'await ports.errors.write(`Idempotency-Key: ${key}\\n`);',
    '',
  ]),
  keyed('closeRequest', 'an answer that nobody could read settles a request', [
    'if (isShown) await settle',
    'if (isShown || wasSent) await settle',
  ]),
  durableAnswer('closeRequest', 'an answer in a file is settled before the file is on the disk', [
    '.then((ending) => durableEnding(ending, conversation, run.ports))',
    '',
  ]),
  next('nextCommand', 'a one-time code stands in the next command', [
    'withKey(withoutCode(typed), next.key)',
    'withKey(typed, next.key)',
  ]),
  next('withKey', 'a create is run again with a new key', [
    'return key === null || hasKey ? typed :',
    'return key === null || !hasKey ? typed :',
  ]),
  confirmation('typesYes', 'real money moves at any answer', ["=== 'yes'", "!== 'no'"]),
  verdict(
    'decideCreate',
    'a new payment stands beside any payment of a reference, and not the newest alone',
    [
      'newestOf(blocking.filter((payment) => mayRefuse(payment, rules)))',
      'newestOf(blocking.filter((payment) => newPayment === null && mayRefuse(payment, rules)))',
    ],
  ),
  verdict('countsFor', 'what is open under a label counts for nothing', [
    'operation === null || !areReferencesLabels',
    '!areReferencesLabels',
  ]),
  verdict('decideCreate', 'a payment follows one that is pending', [
    'if (isStrict && previous !== null && !isFinal(previous.status))',
    'if (previous?.status === undefined && previous !== null)',
  ]),
  verdict('mayRefuse', 'in a sandbox what a batch has paid is passed', [
    "payment.operation !== null && payment.source.kind === 'request'",
    'payment.operation !== null',
  ]),
  name('withKeyOfTry', 'a try after a failure has the key of the failure', [
    'deriveKey({ ...unsent, ...nextTry, reference })',
    'deriveKey({ ...unsent, ...nextTry, generation: 1, reference })',
  ]),
  standing('refreshPending', 'what was pending when it was answered refuses for ever', [
    'const newStatus = await this.#statusOf(operation);',
    'const newStatus = null as string | null;',
  ]),
  standing('refreshPending', 'what is pending is read each time', [
    'await this.#journal.noteStatus(operation, newStatus);',
    '',
  ]),
  derived('sendRecorded', 'an older payment is taken for the one that was meant', [
    'if (generation !== null && settlement === null) {',
    'if (generation === -1 && settlement === null) {',
  ]),
  derived('settleRequest', 'a create that was followed is noted as it was answered', [
    'await journal.noteStatus(lastSeen.id, lastSeen.status);',
    'await Promise.resolve();',
  ]),
  reused('isUseExplained', 'other data under a key goes on to the next key', [
    'if (newest !== null) throw',
    'if (newest === null) throw',
  ]),
  insisting('findPredecessor', 'a new payment stands beside a request that may be sent again', [
    "if (request.state === 'open' && isRepeatableAt(",
    "if (request.state !== 'open' && isRepeatableAt(",
  ]),
  insisting('findPredecessor', 'a new payment stands beside what paid after all', [
    'if (newest !== null) throw refusalOfCreate(create, newest);',
    '',
  ]),
  insisting('requireNamedPayment', 'a new payment stands beside one of another reference', [
    'isOfReference && operation.direction',
    'operation.direction',
  ]),
  fromEvents('settleFromEvents', 'what the events tell of a lost create is not kept', [
    'await journal.settle(request, settlement);',
    '',
  ]),
  refused('operationReason', 'a printed line makes a new payment beside one that agrees', [
    ' || (isOurs && agreesWith(payment, create))',
    '',
  ]),
  refused('operationReason', 'a printed line makes a new payment beside one that is pending', [
    '!isPaid || ',
    '',
  ]),
  asking('paymentsFor', 'a create without a reference is doubled while an equal one is open', [
    "state !== 'settled'",
    "state === 'forgotten'",
  ]),
  lookingUp('lookUp', "a gateway's 404 proves that there is no such operation", [
    "if (lastAttempt.error?.code === 'not_found') return null;",
    'return null;',
  ]),
  keyPrint('hashKey', 'the print of a key needs no salt', [
    "createHmac('sha256', salt)",
    "createHmac('sha256', salt.subarray(0, 0))",
  ]),
  forgotten(
    'mayHaveBeenSent',
    'a single create is paid beside a row that another database server knows nothing of',
    [' && (await stores.hasChangedServer(batch))', ' && stores.where === null'],
  ),
  summary('pendingPairs', 'what one machine has paid is taken for what the state knows', [
    "isShared ? 'this state' : 'this machine'",
    "'this machine'",
  ]),
  sharing('sharedStores', 'a key that was put in the place of another opens half of the books of a command', [
    '(machineOptions ??= machine())',
    'machine()',
  ]),
  beside('ownRequests', 'a create of another company is taken for ours', [
    "isSameSender(request, place) && 'same_key'",
    "request.origin === place.origin && 'same_key'",
  ]),
  beside('isCertain', 'an operation that only a row which waits for a person names is ours', [
    "return state !== 'needs_review';",
    'return state.length > 0;',
  ]),
  shortId('findWholeId', 'of several the first is meant', [
    'if (secondMatch === undefined) return firstMatch.id;',
    'return firstMatch.id;',
  ]),
  shortId('findWholeId', 'what is known here is asked for all the same', [
    'localMatches.length > 0 ? localMatches : await search(false)',
    'await search(false)',
  ]),
  shortId('completeId', 'nobody says which operation is about to be changed', [
    "if (echo === 'shown')",
    "if (echo !== 'shown')",
  ]),
  shortId('replaceTypedId', 'what is suggested next has half an id', [
    'word.replace(typedId, () => id) : word',
    'word : word',
  ]),
  search('#dropWithEvents', 'what the feed tells is listed twice', [
    'eventOperations?.has(id) !== true',
    'eventOperations?.has(id) !== false',
  ]),
  search('list', 'what was pending is pending for ever', ['...(await this.#refresh(newest))', '...newest']),
  byId('#read', 'every pending operation is asked for', [
    'if (this.#readCount >= READS_MAX) {',
    'if (this.#readCount >= READS_MAX * 99) {',
  ]),
  byId('#read', 'without a network it is asked all the same', [
    'if (this.run === null || isFinal(operation.status)',
    'if (isFinal(operation.status)',
  ]),
  moment('readMoment', 'a day ends where it begins', [
    'momentInZone(dayMs + DAY_MS, zone) - 1',
    'momentInZone(dayMs, zone) - 1',
  ]),
  moment('momentInZone', 'a day is that of the service', [
    'zone.offsetMinutes(atMs) * MINUTE_MS);\n  const possible',
    '0 * zone.offsetMinutes(atMs));\n  const possible',
  ]),
  moment('momentInZone', 'a night in which the clocks are set has the offset of the day after', [
    'matchingMs.length > 0',
    'false',
  ]),
  since('readSince', 'a bare date begins with midnight here', [
    'Math.min(localMomentMs, shownMs)',
    'localMomentMs',
  ]),
  since('readSince', 'a bare date begins with midnight UTC', ['Math.min(localMomentMs, shownMs)', 'shownMs']),
  since('readSince', 'a day that does not exist is the one after it', [
    ' || !new Date(shownMs).toISOString().startsWith(date)',
    '',
  ]),
  youngEnd('isStale', 'the end of the events may be as old as it is', [
    'answeredAtMs < nowMs - SERVICE_CLOCKS_MS',
    'answeredAtMs < -SERVICE_CLOCKS_MS',
  ]),
  youngEnd('withFreshEnd', 'the end of the events may have been kept for long', [
    'page.isTooOld === true || ',
    '',
  ]),
  youngEnd('withFreshEnd', 'an old end is asked for in the same way', [
    'fetch(cursor, signal, otherLimit)',
    'fetch(cursor, signal)',
  ]),
  youngEnd('withFreshEnd', 'an old end that stays old is the end', [
    'if (!(await isStaleEnd(secondPage, cursor))) return secondPage;',
    'return secondPage;',
  ]),
  youngEnd('withFreshEnd', 'an end behind which there is a place is none', [
    ' || next === cursor || events.length === 0',
    '',
  ]),
  provedFeed('openMirror', 'a mirror that others can write in is believed', [
    'mirrors.isShared ? provingOptions(run, pace) : null',
    'null',
  ]),
  provedFeed('openMirror', 'an old end is the end', [
    'syncMirror(mirror, pagesOf(withFreshEnd(source, run))',
    'syncMirror(mirror, pagesOf(source)',
  ]),
  guarding('openGuard', 'nothing is asked of what is read', [
    "await guard.judge({ method: 'GET', url: `${serviceUrl}/v2/capabilities`, headers: {}, body: null });",
    '',
  ]),
  guarding('openGuard', 'a permit is made unasked', ['await guard.judge(request, facts);', '']),
  guarding('openGuard', 'a policy is looked at once', ['atMs - lastRead.atMs < REREAD_MS', 'true']),
  guarding('openGuard', 'the time is not asked for', ['serviceMs: await readServiceMs()', 'serviceMs: null']),
  guarding('lockOf', 'a child takes its lock off', [', ...machine.parentLocks()', '']),
  guarding('policyStateOf', 'what is not trusted is no policy', [
    "return { kind: 'unusable', code: `policy_${file.kind}`, why: file.why };",
    "return { kind: 'none' };",
  ]),
  guarding('judgeCall', 'a person is asked about what is refused', [
    "if (endpoint(run.endpointId).retry !== 'safe')",
    'if (false)',
  ]),
  guarding('judgeBatch', 'a batch is judged by none of its rows', [
    'for (const { body, key } of rows)',
    'for (const { body, key } of [])',
  ]),
  guarding('failureAfterRefusal', 'a refusal on the way says that nothing was sent', [
    "refusal.head.replace(' Nothing was sent.', '')",
    'refusal.head',
  ]),
];
