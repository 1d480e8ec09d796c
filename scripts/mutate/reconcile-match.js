/** Mistakes in how both sides are compared: each is a difference that nobody is told of, or one that is none. */
import { inFile } from './mutant.js';

const CLASSES = 'reconcile/match/classes';
const RULES = 'reconcile/match/rules';
const CROWDS = 'reconcile/match/crowds';
const SUGGESTING = 'reconcile/match/suggesting';

const fitting = inFile('reconcile/match/fitting.ts', CLASSES, RULES);
const pairing = inFile('reconcile/match/pairing.ts', CLASSES, RULES);
const order = inFile('reconcile/match/order.ts', CLASSES);
const group = inFile('reconcile/match/group.ts', CLASSES, CROWDS);
const gathered = inFile('reconcile/match/gathered.ts', CLASSES, CROWDS);
const settling = inFile('reconcile/match/settling.ts', CLASSES, SUGGESTING);
const alone = inFile('reconcile/match/alone.ts', CLASSES, CROWDS);
const contradicting = inFile('reconcile/match/contradicting.ts', CLASSES);
const directing = inFile('reconcile/match/directing.ts', 'commands/reconcile/reconcile');
const recording = inFile('reconcile/match/recording.ts', RULES);
const standing = inFile('reconcile/match/standing.ts', 'reconcile/match/standing');
const reading = inFile('reconcile/match/reading.ts', CROWDS);
const keys = inFile('reconcile/match/keys.ts', CROWDS);
const tally = inFile('reconcile/match/tally.ts', CROWDS, 'reconcile/match/tally');
const sets = inFile('reconcile/match/sets.ts', SUGGESTING);
const suggesting = inFile('reconcile/match/suggesting.ts', SUGGESTING);
const reconciling = inFile('reconcile/match/reconciling.ts', CLASSES, RULES, CROWDS);

export const reconcileMatch = [
  contradicting('an id of another payment agrees', ["GLOB '????????-????-", "GLOB '-'||'????????-????-"]),
  contradicting('a reference of no payment agrees with an id', [
    "f.by = ${MATCH_KEYS.indexOf('id')}",
    'f.by > 9',
  ]),
  contradicting('what another name names is not looked at', ['file.run(`${NOTE} ${others(key)}`);', '']),
  directing(
    'a sign says nothing beside --direction',
    ['const signed = hasNegatives ?', 'const signed = false ?'],
    ['...(hasNegatives ? [PAYOUT, PAYIN] : [own])', 'own'],
  ),
  fitting('an amount in another currency is the same money', [
    'line.currency === null || line.currency !== operation.currency',
    'line.currency === null',
  ]),
  fitting('the tolerance of one currency is one of every other', [
    'tolerances.find((one) => one.currency === currency)',
    'tolerances.at(0)',
  ]),
  fitting('a fee is ten times what was stated', ['rest * 100n *', 'rest * 10n *']),
  fitting('a status that is not known means that it was paid', [
    "if (status !== CONFIRMED) return 'status_differs';",
    "if (status > 1) return 'status_differs';",
  ]),
  fitting('a day off is one within the tolerance', [
    'const isLate = off > days;',
    'const isLate = off > days + 1;',
  ]),
  fitting('a tolerance of days is not said', ['off === 0 || isLate ? needed', 'off === 0 || true ? needed']),
  pairing('a failed operation is meant beside the one that came of the retry', [
    'if (operation.status !== FAILED) return true;',
    'return true;',
  ]),
  pairing('of two directions one is guessed', ['.size === 1) take(equal', '.size > 0) take(equal']),
  pairing('of two within a tolerance the first is taken', [
    'isUniform(one.lines) && isUniform(one.operations)',
    'one.lines.length > 0',
  ]),
  order('the day tells equal ones apart no more', ['pair(dayOf(shift), dayOf(0))', 'void shift']),
  order('the bank reference tells equal ones apart no more', ['pair(bankOf, bankOf);', '']),
  group('a failed operation repeats a payment', ['isFree(one) || one.status === FAILED', 'isFree(one)']),
  group('what repeats a payment is compared with what is left', [
    'const isLeft = (one: GroupLine | GroupOperation): boolean => isFree(one) && !isRepeated.has(one);',
    'const isLeft = isFree; void isRepeated;',
  ]),
  group('of several that may be meant the first is taken', [
    'return lines.length === 1 && operations.length === 1;',
    'return lines.length >= 1 && operations.length >= 1;',
  ]),
  gathered('a sign says a direction where no line is negative', [
    'this.defaults.hasNegatives ?',
    'this.defaults.hasNegatives || true ?',
  ]),
  gathered('of a name that thousands share some are left out without a word', [
    'kept.open.push(number);',
    'if (kept.open.length < CROWD_MIN) kept.open.push(number);',
  ]),
  settling('what is left after the first round is only on one side', [
    'isLeft ||= [...met.group.lines, ...met.group.operations].some(isFree);',
    '',
  ]),
  settling('a suggestion is made of what failed', ['status !== FAILED', 'status >= 0']),
  alone('a pending operation without a line is one that the ledger lacks', [
    "status === PENDING ? 'pending'",
    "status === FAILED ? 'pending'",
  ]),
  alone('a failed operation without a line is one that the ledger lacks', [
    'if (row[1] === FAILED) recording.leaveOut',
    'if (row[1] > FAILED) recording.leaveOut',
  ]),
  recording('what belongs to something inside is cut off at the edge', [
    'lines.some(isInside) || operations.some(isInside)',
    '[...lines, ...operations].every(isInside)',
  ]),
  recording('the last day is outside', ['day <= last', 'day < last']),
  standing('a line may stand in two findings', ['if (this.partner(side, row) !== 0)', 'if (row < 0)']),
  reading('amounts are ordered as texts', ["instr(coalesce(h.amount, t.amount) || '.', '.') DESC, ", '']),
  keys('halves of characters are all the same', ['/[\\0\\p{Cs}]|^"/u', '/[\\0]|^"/u']),
  tally('sums that are not those of both sides are shown', [
    'if (!isEqual(one, other))',
    'if (one === other)',
  ]),
  tally('amounts of another scale are added as they are', ['to > scale ?', 'to > scale + 99 ?']),
  sets('a second set that fits is no reason to doubt', [
    'count === 1);\n  }\n  for (const operation',
    'true);\n  }\n  for (const operation',
  ]),
  sets('one operation is suggested for two lines', ['.size === 1);', '.size > 0);']),
  suggesting('what is near others of which there are few is not looked at', [
    'aloneIn(file, side, isNear)',
    'aloneIn(file, side, isFew)',
  ]),
  reconciling('a pending line agrees', ["(name === 'pending' && here.count === 0)", "name === 'pending'"]),
  reconciling('of several currencies the first is taken', [
    'only !== undefined && others.length === 0',
    'only !== undefined',
  ]),
];
