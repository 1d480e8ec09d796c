import { heldBy } from './mutant.js';

const CLASSES = 'reconcile/match/classes';
const ANY_BOOKS = 'reconcile/match/any-books';
const RULES = 'reconcile/match/rules';
const LARGE_GROUPS = 'reconcile/match/large-groups';
const SUGGESTING = 'reconcile/match/suggesting';

const fitting = heldBy(CLASSES, ANY_BOOKS, RULES);
const pairing = heldBy(CLASSES, ANY_BOOKS, RULES);
const order = heldBy(CLASSES, ANY_BOOKS);
const group = heldBy(CLASSES, ANY_BOOKS, LARGE_GROUPS);
const gathered = heldBy(CLASSES, ANY_BOOKS, LARGE_GROUPS);
const settling = heldBy(CLASSES, ANY_BOOKS);
const alone = heldBy(CLASSES, ANY_BOOKS, LARGE_GROUPS);
const contradicting = heldBy(CLASSES, ANY_BOOKS);
const numbers = heldBy('reconcile/bank-numbers');
const directing = heldBy('reconcile/reconcile');
const recording = heldBy(RULES);
const standing = heldBy('reconcile/match/placement');
const reading = heldBy(LARGE_GROUPS);
const keys = heldBy(LARGE_GROUPS);
const tally = heldBy(LARGE_GROUPS, 'reconcile/match/tally');
const suggesting = heldBy(SUGGESTING);
const reconciling = heldBy(CLASSES, ANY_BOOKS, RULES, LARGE_GROUPS);

export const reconcileMatch = [
  contradicting('UNKNOWN_NAMES', 'an id of another payment agrees', [
    "GLOB '????????-????-",
    "GLOB '-'||'????????-????-",
  ]),
  contradicting('UNKNOWN_NAMES', 'a reference of no payment agrees with another name', [
    'AND t.reference IS NOT NULL`',
    'AND f.by > 9`',
  ]),
  numbers('misnamedColumn', 'a column some of whose values are numbers of the bank is read as that', [
    'isRead: knownCount === valueCount',
    'isRead: knownCount > 0',
  ]),
  numbers('suggestByZeros', 'of two operations that zeros tell apart one is suggested', [
    'count(DISTINCT t.row) = 1',
    'count(DISTINCT t.row) > 0',
  ]),
  contradicting('placeContradictions', 'what another name names is not looked at', [
    'file.run(`${ADD_DOUBT} SELECT p.finding, n.row FROM ${pairs} p JOIN ${nameOwners} n ON n.name = p.name`);',
    '',
  ]),
  directing(
    'directLines',
    'a sign says nothing beside --direction',
    ['const directionSql = hasNegatives ?', 'const directionSql = false ?'],
    ['...(hasNegatives ? [PAYOUT, PAYIN] : [wanted])', 'wanted'],
  ),
  fitting('fitRulesOf', 'an amount in another currency is the same money', [
    'line.currency === null || line.currency !== operation.currency',
    'line.currency === null',
  ]),
  fitting('tolerancesFor', 'the tolerance of one currency is one of every other', [
    'tolerances.find((one) => one.currency === currency)',
    'tolerances.at(0)',
  ]),
  fitting('tolerancesFor', 'a fee is ten times what was stated', ['rest * 100n *', 'rest * 10n *']),
  fitting('classOf', 'a status that is not known means that it was paid', [
    'status !== CONFIRMED && status !== PENDING',
    'status > PENDING',
  ]),
  fitting('classOf', 'another amount hides that a payment failed', [
    "return 'status_differs';\n  if (!isSameMoney) return 'amount_differs';",
    "return isSameMoney ? 'status_differs' : 'amount_differs';\n  if (!isSameMoney) return 'amount_differs';",
  ]),
  fitting('fitRulesOf', 'a day off is one within the tolerance', [
    'const isDateOff = daysOff > days;',
    'const isDateOff = daysOff > days + 1;',
  ]),
  fitting('fitRulesOf', 'a tolerance of days is not said', [
    'daysOff === 0 || isDateOff ? []',
    'daysOff === 0 || true ? []',
  ]),
  pairing('matchTest', 'a failed operation is meant beside the one that came of the retry', [
    'if (operation.status !== FAILED) return true;',
    'return true;',
  ]),
  pairing('pairSameMoney', 'of two directions one is guessed', [
    '.size === 1) take(equalLines',
    '.size > 0) take(equalLines',
  ]),
  pairing('withinTolerance', 'of two within a tolerance the first is taken', [
    'isUniform(one.lines) && isUniform(one.operations)',
    'one.lines.length > 0',
  ]),
  order('pairInOrder', 'the day tells equal ones apart no more', [
    'pair(dayOf(shift), dayOf(0))',
    'void shift',
  ]),
  order('pairInOrder', 'the bank reference tells equal ones apart no more', ['pair(bankOf, bankOf);', '']),
  group('freePairs', 'a failed operation repeats a payment', [
    'operation.status === FAILED ? undefined : lineFor(operation)',
    'lineFor(operation)',
  ]),
  group('unmatchedIn', 'what repeats a payment is compared with what is left', [
    'const isUnmatched = (one: GroupLine | GroupOperation): boolean => isFree(one) && !repeatedEntries.has(one);',
    'const isUnmatched = isFree; void repeatedEntries;',
  ]),
  group('isCouple', 'of several that may be meant the first is taken', [
    'return lines.length === 1 && operations.length === 1;',
    'return lines.length >= 1 && operations.length >= 1;',
  ]),
  gathered('#lineOf', 'a sign says a direction where no line is negative', [
    'this.defaults.hasNegatives ?',
    'this.defaults.hasNegatives || true ?',
  ]),
  gathered('add', 'of a name that thousands share some are left out without a word', [
    'sideRows.openNumbers.push(number);',
    'if (sideRows.openNumbers.length < GROUP_MAX) sideRows.openNumbers.push(number);',
  ]),
  settling('pairClear', 'what is left after the first round is only on one side', [
    'hasOpen ||= [...match.group.lines, ...match.group.operations].some(isFree);',
    '',
  ]),
  alone('placeUnmatched', 'a pending operation without a line is one that the ledger lacks', [
    "row[1] === PENDING ? 'pending'",
    "row[1] === FAILED ? 'pending'",
  ]),
  alone('placeUnmatched', 'a failed operation without a line is one that the ledger lacks', [
    'if (row[1] === FAILED) recorder.countFailed',
    'if (row[1] > FAILED) recorder.countFailed',
  ]),
  recording('findingRecorder', 'what belongs to something inside is cut off at the edge', [
    'lines.some(isInside) || operations.some(isInside)',
    '[...lines, ...operations].every(isInside)',
  ]),
  recording('findingRecorder', 'the last day is outside', ['day <= last', 'day < last']),
  standing('#set', 'a line may stand in two findings', [
    'if (this.partner(side, row) !== 0)',
    'if (row < 0)',
  ]),
  reading('FINDING_ORDER', 'amounts are ordered as texts', [
    "instr(coalesce(h.amount, t.amount) || '.', '.') DESC, ",
    '',
  ]),
  keys('keyOf', 'halves of characters are all the same', ['/[\\0\\p{Cs}]|^"/u', '/[\\0]|^"/u']),
  tally('prove', 'sums that are not those of both sides are shown', [
    'if (placedTotal.count !== entryTotal.count || !isSameSum)',
    'if (placedTotal === entryTotal)',
  ]),
  tally('place', 'what failed counts as confirmed', [
    "status === FAILED ? 'lost' : 'pending'",
    "status === FAILED ? 'paid' : 'pending'",
  ]),
  tally('scaled', 'amounts of another scale are added as they are', ['to > scale ?', 'to > scale + 99 ?']),
  suggesting('uniqueUnmatched', 'of two that have the amount one is suggested', [
    'count(*) = 1',
    'count(*) > 0',
  ]),
  suggesting('suggestByAmount', 'a suggestion goes the other way', [
    'WHERE coalesce(l.direction = o.direction, TRUE)',
    'WHERE TRUE',
  ]),
  suggesting('suggestByAmount', 'a suggestion is of any day', ['<= ?, TRUE)', '>= 0 * ?, TRUE)']),
  reconciling('reconciliationOf', 'a pending line agrees', [
    "(name === 'pending' && here.count === 0)",
    "name === 'pending'",
  ]),
  reconciling('currencyOfLines', 'of several currencies the first is taken', [
    'only !== undefined && others.length === 0',
    'only !== undefined',
  ]),
  order('compareEntries', 'what has no day comes first', [
    'one.day ?? Infinity, other.day ?? Infinity',
    'one.day ?? -Infinity, other.day ?? -Infinity',
  ]),
  gathered('take', 'a large group of lines whose operation is taken is ambiguous', [
    'if (lines.openNumbers.length === 0 || operations.openNumbers.length === 0) return null;',
    '',
  ]),
  fitting('keyOf', 'an id in capitals is another one', ["foldReference(text ?? '')", "(text ?? '')"]),
  group('repetitionsIn', 'what repeats a payment is not held against it', [
    'const isSame = sameMoneyTest(mayMatch, fitRules);',
    'const isSame = mayMatch;',
  ]),
  recording('findingRecorder', 'the first day is outside', ['day >= first', 'day > first']),
  contradicting('findingRecorder', 'a failed operation of another day is counted', [
    "isInside(operation) ? 'failed' : 'outside'",
    "'failed'",
  ]),
  contradicting('findingRecorder', 'what was doubted still counts as within a tolerance', [
    "if (from === 'matched' && isTolerated) tolerated -= 1;",
    '',
  ]),
];
