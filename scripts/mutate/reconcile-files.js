/** Mistakes in how a ledger or a statement is read: each is money that is read as other money, or a line that is silently left out. */
import { inFile } from './mutant.js';

const amount = inFile('sheet/amount.ts', 'sheet/amount');
const day = inFile('reconcile/file/day.ts', 'reconcile/file/day');
const evidence = inFile('reconcile/file/evidence.ts', 'reconcile/file/refusals', 'reconcile/file/statement');
const decimals = inFile('sheet/decimal-evidence.ts', 'reconcile/file/refusals', 'reconcile/file/statement');
const amounts = inFile('sheet/amount-cells.ts', 'reconcile/file/refusals');
const cells = inFile('reconcile/file/cell-reading.ts', 'reconcile/file/refusals');
const body = inFile('reconcile/file/body.ts', 'reconcile/file/refusals', 'reconcile/file/statement');
const none = inFile('reconcile/file/no-payment.ts', 'reconcile/file/refusals', 'reconcile/file/statement');
const sides = inFile('reconcile/file/sides.ts', 'reconcile/file/refusals', 'reconcile/file/statement');
const signs = inFile('reconcile/file/direction-signs.ts', 'reconcile/file/refusals');
const currency = inFile(
  'reconcile/file/currency-named.ts',
  'reconcile/file/currencies',
  'reconcile/file/refusals',
  'reconcile/file/statement',
);
const statuses = inFile('reconcile/file/statuses.ts', 'reconcile/file/statuses');
const statusWords = inFile(
  'reconcile/file/status-words.ts',
  'reconcile/file/statuses',
  'reconcile/never-agrees',
);
const currencyWords = inFile(
  'reconcile/file/currency-words.ts',
  'reconcile/file/currencies',
  'reconcile/file/statement',
);
const statement = inFile('reconcile/file/statement.ts', 'reconcile/file/refusals');
const records = inFile('sheet/records.ts', 'sheet/records');
const header = inFile('sheet/header.ts', 'reconcile/file/refusals');
const layout = inFile('reconcile/file/layout.ts', 'reconcile/file/statement');
const map = inFile('sheet/column-map.ts', 'reconcile/file/column-map');
const text = inFile('sheet/text.ts', 'reconcile/file/statement');
const json = inFile('reconcile/file/json-records.ts', 'reconcile/file/statement');
const source = inFile('sheet/file-source.ts', 'sheet/file-source');
const guesses = inFile('reconcile/file/guesses.ts', 'reconcile/file/refusals', 'reconcile/file/round-trip');

export const reconcileFiles = [
  amount('an amount in parentheses is positive', ['isNegative = inner !== undefined || ', 'isNegative = ']),
  amount('separators may stand between any digits', [
    '[0-9]{3}(?:\\1[0-9]{3})*$/,\n  comma',
    '[0-9]+(?:\\1[0-9]{3})*$/,\n  comma',
  ]),
  amount('two signs are one', ['signs.length > (inner === undefined ? 1 : 0)', 'signs.length > 2']),
  day('a month has as many days as a date says', ['day < 1 || day > daysIn(Number(year), month)', 'day < 1']),
  day('a time of another zone is one of the same day', ['+ zone.offsetMinutes(atMs) * 60_000', '']),
  decimals('decimals that could be thousands are taken for what comes first', [
    'doubt: this.#way === null ? this.#doubt : null',
    'doubt: null',
  ]),
  evidence('a year of two digits is always last', ['this.#firsts.size >= YEARS_OF_NO_STATEMENT', 'true']),
  evidence('a date that two orders read differently is no doubt where a third is out', [
    '!this.#doubts.has(order + other)',
    'this.#doubts.size === 0',
  ]),
  amounts('a stream that decides too late is guessed', [
    'comma.amount !== point.amount',
    'comma.amount === null',
  ]),
  cells('a date that contradicts all others narrows what is left', [
    'left.some(([, day]) => day !== value)',
    'false',
  ]),
  body('a total in the middle is left out', [
    'this.#problems.add(record.line, null, `${why}, and stands between payments`);',
    '',
  ]),
  body('what stands below the last payment is left out without a word', [
    'else this.leaveOut(record, why);',
    '',
  ]),
  body('money at the end that nothing names is left out', [
    'if (isMaybePayment(why)) this.#problems.add(record.line, null, why);',
    'if (false) this.#problems.add(record.line, null, why);',
  ]),
  signs('what is taken back is paid', ['first.isNegative === isNegative', 'true']),
  currency('two symbols are one currency', ['mark === there ||', 'true ||']),
  currency('the name of a column says no currency', [
    'return found.length === 0 ? null : shared(found);',
    'return null;',
  ]),
  currencyWords('any three capital letters in a name are a currency', [
    'return codes.has(code);',
    'return true;',
  ]),
  currencyWords('a symbol of many currencies is dollars', [
    '  $: [...DOLLARS, ',
    "  $: ['USD'] ?? [...DOLLARS, ",
  ]),
  statuses('a word that nobody knows is paid', [
    "if (status === 'paid') return PAID;",
    "if (status !== 'unpaid') return PAID;",
  ]),
  statuses('what is not looked at was paid', [
    'this.#leftOut = leftOut;',
    'this.#leftOut = leftOut.slice(9);',
  ]),
  statusWords('a column that is called void is a status', [
    'return UNPAID.has(folded(name));',
    'return false;',
  ]),
  statusWords('a word of a refusal counts only alone', [
    'parts.some((part) => UNPAID.has(part))',
    'parts.length === 1 && UNPAID.has(word)',
  ]),
  statusWords('a denied refusal is one', ['parts.some((part) => DENIALS.has(part))', 'false']),
  currency('a title says no currency', ['titled.length > 0 ? titled : mentioned', '[]']),
  currency('what a total says of the currency is not looked at', [
    'if (found.length === 0) return null;',
    'return null;',
  ]),
  none('a payment that begins with the word of a sum is one', [
    '!isBeside && !isNamed && !isPaid',
    '!isBeside && !isPaid',
  ]),
  none('a payment with a day and the name of a sum is one', ['!isNamed && !isPaid', '!isNamed']),
  none('somebody does not make a payment of a sum', [' || hasParty', '']),
  body('cells beyond the header are nothing', ['cells.length <= header.length ||', 'true ||']),
  none('a total that says its date is a payment', [
    'keyed.length === 0 && !hasAmount && filled.some',
    'keyed.length === 9 && filled.some',
  ]),
  none('what lacks a reference is left out wherever it stands', ['why === TOTAL || why === WORDS', 'true']),
  sides('of debit and credit that are both filled one counts', [
    "if (out !== '0' && into !== '0')",
    "if (out === '' && into !== '')",
  ]),
  sides('nothing goes out', ["side.amount === '0' ? null : direction", 'direction']),
  day('a moment is of the zone of its midnight', [
    'zone.offsetMinutes(atMs)',
    'zone.offsetMinutes(Date.parse(day))',
  ]),
  sides('a debit comes in', ["([debit, 'payout'] as const)", "([debit, 'payin'] as const)"]),
  currency('a currency beside an amount is not compared with that of its column', [
    'possible.length === 0 && !isUnknown',
    'false',
  ]),
  statement('what can not be read is forgotten at the end', [
    "this.#problems.throwIfAny(this.#source.name, 'Nothing was reconciled.');",
    '',
  ]),
  records('a line end inside a cell does not count', ['lines += lineEnds(cell);', '']),
  records('what is behind a quoted cell belongs to nothing', [
    'fault: start === end ? null : INSIDE',
    'fault: null',
  ]),
  header(
    'of two columns of one name the first is meant',
    ['doubtful: places.filter(({ places: { length } }) => length > 1)', 'doubtful: []'],
    ['index === undefined || second !== undefined', 'index === undefined'],
  ),
  header('payments stand above a header', ['own.find(({ isUsable }) => isUsable) ?? own', 'own']),
  layout('a word for kinds of things is one for a direction', [
    'cells.some((cell) => directionWord(cell) !== null)',
    'cells.length > 0',
  ]),
  map('a name with a comma is written bare', ['/[",=]|^[0-9]+$/', '/^[0-9]+$/']),
  text('Latin-1 has control characters where Windows has letters', [
    'yield windows(bytes.toString',
    'yield String(bytes.toString',
  ]),
  json('a number of JSON loses digits', ['context?.source ?? String(value)', 'String(value)']),
  source('a file may change while it is read', [
    'after.size !== before.size || after.mtimeMs !== before.mtimeMs',
    'false',
  ]),
  guesses('a file whose beginning does not decide is guessed at', [
    'if (questions.length > 0)',
    'if (questions.length > 9)',
  ]),
];
