import type { Change } from '../../../../scripts/mutate/places.js';
import type { Family } from './history.js';
import type { MonthsSetting } from './months.js';

const broken = (within: Change['within'], ...changes: Change['changes']): Change => ({ within, changes });

export interface Control {
  readonly name: string;
  readonly changes: readonly Change[];
  readonly family: Family;
  readonly seed: number;
  readonly ends: string;
  readonly manners?: Partial<MonthsSetting>;
}

const BELIEVED: readonly Change[] = [
  broken('hear', ['if (!isProof && !isDirect) return;', '']),
  broken('buildRequestTo', ["...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),", '']),
];

const UNNAMED = broken('matchFailure', [
  "otherCommand: { when, line: svcLine('requests resolve', words, keyWords) },",
  '...(when && words && keyWords && {}),',
]);

export const CONTROLS: readonly Control[] = [
  {
    name: 'what a single create has made refuses the next',
    changes: [
      broken('paymentOfSingle', [
        "return status === 'failed' ? [] : [{ ...facts, operation,",
        'return status !== null ? [] : [{ ...facts, operation,',
      ]),
    ],
    ...{ family: 'one', seed: 10, ends: 'twice' },
  },
  {
    name: 'a reference holds nothing that nobody sees',
    changes: [
      broken(
        ['foldReference', 'referenceProblem'],
        ["reference.replace(INVISIBLE_CHARACTERS, '')", 'reference'],
        ["if (reference.search(INVISIBLE_CHARACTERS) !== -1) return 'holds an invisible character';", ''],
      ),
    ],
    ...{ family: 'one', seed: 16, ends: 'twice' },
  },
  {
    name: 'the service proves its time, and every clock makes a key older',
    changes: [
      ...BELIEVED,
      broken(
        'readingsOf',
        ["add('boot', then.bootMs, now.bootMs);", ''],
        ["add('machine', then.wallMs, now.wallMs);\n  }", '}'],
        ["else if (!isSameBoot) add('machine', then.wallMs, now.wallMs);", ''],
      ),
    ],
    ...{ family: 'clocks', seed: 864, ends: 'twice' },
  },
  {
    name: 'nothing is sent again after 23 hours',
    changes: [
      broken('maySendAgain', ["return age.kind === 'known' && age.ms <= KEY_SAFE_MS;", 'return true;']),
    ],
    ...{ family: 'clocks', seed: 13, ends: 'twice' },
  },
  {
    name: 'a time that nobody knows is no young one',
    changes: [
      broken('maySendAgain', [
        "return age.kind === 'known' && age.ms <= KEY_SAFE_MS;",
        "return age.kind !== 'known' || age.ms <= KEY_SAFE_MS;",
      ]),
    ],
    ...{ family: 'clocks', seed: 18, ends: 'twice' },
  },
  {
    name: 'what was settled counts for 400 days',
    changes: [broken('MARKS_KEPT_MS', ['MARKS_KEPT_MS = 400 *', 'MARKS_KEPT_MS = 2 *'])],
    ...{ family: 'one', seed: 12, ends: 'twice' },
  },
  {
    name: 'what a batch has, and what the events tell, refuses a single create',
    changes: [
      broken('#rows', ["if (!stores.has('batches')) return [];", 'return [];']),
      broken('#operations', [
        'if (reference === null || (!isStrict',
        'if (isStrict || reference === null || (!isStrict',
      ]),
    ],
    ...{ family: 'one', seed: 394, ends: 'twice' },
  },
  {
    name: 'what a single create has refuses the row of a batch',
    changes: [
      broken(
        'knowledgeOf',
        ['singleReader.of(await journal.ofReferences({ environment, direction, referenceMarks }))', '[]'],
        ['const requests = await journal.afterRow(lastRow);', 'const requests = [];'],
      ),
    ],
    ...{ family: 'one', seed: 215, ends: 'twice' },
  },
  {
    name: 'what another process is about to send stands in the way',
    changes: [
      broken('precedenceOf', ['if (rival !== undefined) return', 'if (rival === null) return']),
      broken('evidence', [
        'requests.filter(({ row }) => row !== ownRow)',
        "requests.filter(({ row, state }) => row !== ownRow && state !== 'recorded')",
      ]),
    ],
    ...{ family: 'one', seed: 3015, ends: 'twice' },
  },
  {
    name: 'what is pending is read before it refuses',
    changes: [
      broken('currentEvidence', ['await knownPayments.refreshPending(payments)', 'payments === null']),
    ],
    ...{ family: 'one', seed: 1574, ends: 'lost' },
  },
  {
    name: 'an answer is about the operation that was asked for',
    changes: [broken('checkedRequestOf', ['...(id === null ? {} : { id }),', ''])],
    ...{ family: 'one', seed: 32, ends: 'shown another operation' },
  },
  {
    name: 'a mirror that others may write into proves nothing alone',
    changes: [broken('openMirror', ['mirrors.isShared ? provingOptions(run, pace) : null', 'null'])],
    ...{ family: 'forged', seed: 91, ends: 'lost' },
  },
  {
    name: 'a row and a create of one later payment have one key',
    changes: [
      broken('withKeyOfTry', [
        'deriveKey({ ...unsent, ...nextTry, reference })',
        'deriveKey({ ...unsent, ...nextTry, follows: nextTry.follows && `single ${nextTry.follows}`, reference })',
      ]),
    ],
    ...{ family: 'two', seed: 15, ends: 'twice' },
  },
  {
    name: 'a later payment has the key of what it follows, whatever time was typed',
    changes: [
      broken('tryOfPayment', [
        'choice.newPayment ?? previous?.operation ?? null',
        'choice.newPayment ?? (previous === null || choice.sinceMs === null ? null : String(choice.sinceMs))',
      ]),
    ],
    ...{ family: 'two', seed: 1, ends: 'twice' },
  },
  {
    name: 'a single create reads the events before it leaves',
    changes: [broken('chooseTry', ['if (!options.skipsFeed) await readWholeFeed(knownPayments);', ''])],
    ...{ family: 'two', seed: 33, ends: 'twice' },
  },
  {
    name: 'a page whose cursor stands still is no end',
    changes: [
      broken(
        'walkPages',
        ['hasNewCursor ? isIdle && ids.length > 0 : isCursorStanding && page.next !== null;', 'false;'],
        ['isIdle : !hasNewElement || page.next === null);', 'isIdle : true);'],
      ),
    ],
    ...{ family: 'two', seed: 53, ends: 'twice' },
    manners: { stands: { fromMs: 0, toMs: Date.parse('2026-09-20T00:00:00Z') }, pageSize: 1 },
  },
  {
    name: 'an operation of another payment is no answer to a create',
    changes: [
      broken('createClient', [
        "expected?.retry === 'keyed' && attempt.kind === 'success'",
        "expected?.retry === 'once' && attempt.kind === 'success'",
      ]),
    ],
    ...{ family: 'months', seed: 9, ends: 'lied' },
    manners: { strangeRate: 0.4 },
  },
  {
    name: 'a used key leads on only where it is certain what used it',
    changes: [broken('mayUseNextKey', ['return key.isExplained;', 'return true;'])],
    ...{ family: 'used on two', seed: 7, ends: 'twice' },
  },
  {
    name: 'no next command pays again',
    changes: [broken('throwIfAny', ['nextCommand: command,', 'nextCommand: payAgain ?? command,'])],
    ...{ family: 'months', seed: 17, ends: 'twice' },
  },
  {
    name: 'a payment that was found names the line that settles its request',
    changes: [UNNAMED],
    ...{ family: 'two', seed: 101_801, ends: 'stuck' },
  },
  {
    name: 'a payment follows only what is final',
    changes: [
      broken('decideRow', ['isOpen || previous === null || isFinal(previous.status) ?', 'true ?']),
      broken('usedKeyRule', [
        'if (!isFinal(olderPayment.status)) return waitingStatus(row.stateBefore, olderPayment);',
        '',
      ]),
      broken('checkOlderPayment', [
        'if (!isFinal(previous.status)) throw refusalOfCreate(create, previous);',
        '',
      ]),
      broken('decideCreate', ['isStrict && previous !== null && !isFinal(previous.status)', 'false']),
    ],
    ...{ family: 'months', seed: 133, ends: 'twice' },
    manners: {
      ...{ pendingHours: [27], spacingHours: 26, failRate: 0.7 },
      ...{ refusedRate: 0, differRate: 0, planRate: 0 },
    },
  },
  {
    name: "a person's word keeps the key",
    changes: [
      broken('renewRows', ['(isFailed ? 1 : 0)', "(isFailed || shownRow.code === 'not_paid' ? 1 : 0)"]),
      broken('nextGeneration', [
        'Math.max(1 + oldTries.size, leastGeneration);',
        "Math.max(1 + oldTries.size, leastGeneration) + rows.filter((row) => row.state === 'failed' && row.operation === null).length;",
      ]),
    ],
    ...{ family: 'months', seed: 54, ends: 'twice' },
    manners: {
      ...{ asksEvents: true, lateHours: [900], memoryHours: Infinity },
      ...{ faultRate: 0.7, killRate: 0.1, pendingHours: [0] },
    },
  },
  {
    name: 'a failed operation in the events settles no open create',
    changes: [broken('operationInFeed', ["status !== 'failed' && ", '']), UNNAMED],
    ...{ family: 'two', seed: 168, ends: 'stuck' },
    manners: { failRate: 0.5, faultRate: 0.4, killRate: 0.25, lateHours: [0.3] },
  },
  {
    name: 'what was pending and is gone is open again',
    changes: [broken('openJournal', ['if (status === GONE) {', "if (status === '') {"])],
    ...{ family: 'months', seed: 32, ends: 'stuck' },
    manners: { goneRate: 0.5 },
  },
  {
    name: 'a pending payment that a row waits for, and that is gone, is followed by its batch',
    changes: [broken('paymentOfRow', ["{ kind: 'feed', batch }", "{ kind: 'feed' }"])],
    ...{ family: 'lost', seed: 400_002, ends: 'stuck' },
  },
  {
    name: 'a used key whose own create has failed is for a person',
    changes: [
      broken('resolveRequest', [
        'usedNote !== undefined && haveFailed',
        'usedNote !== undefined && requests.length === 0',
      ]),
    ],
    ...{ family: 'used', seed: 400_172, ends: 'stuck' },
  },
  {
    name: 'a plan keeps what it left out as pending',
    changes: [broken('makePlan', ['code === SKIPPED_PENDING && operation', 'code === null && operation'])],
    ...{ family: 'months', seed: 4, ends: 'lied' },
    manners: { planRate: 0.9, pendingHours: [0, 12], failRate: 0.4 },
  },
  {
    name: 'a refusal of its own explains a used key only where refusals are remembered',
    changes: [broken('mayUseNextKey', ['(await key.remembersRefusals(body))', 'true'])],
    ...{ family: 'used on two', seed: 1, ends: 'twice' },
    manners: {
      ...{ order: 'validate', remembers: 'none', memoryHours: 48 },
      ...{ refusedRate: 0.8, differRate: 0.6, lateHours: [6] },
    },
  },
  {
    name: 'an operation with two ends counts as paid',
    changes: [
      broken('paymentsIn', [
        'contradictedIdsIn(evidence);',
        'contradictedIdsIn({ ...evidence, operations: [], rows: [], singles: [] });',
      ]),
    ],
    ...{ family: 'months', seed: 80, ends: 'stuck' },
    manners: { undoneRate: 0.4 },
  },
];
