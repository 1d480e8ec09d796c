import { heldBy } from './mutant.js';

const amount = heldBy('sheet/amount');
const day = heldBy('reconcile/file/day');
const evidence = heldBy('reconcile/file/refusals', 'reconcile/file/statement');
const decimals = heldBy('reconcile/file/refusals', 'reconcile/file/statement');
const amounts = heldBy('reconcile/file/refusals');
const cells = heldBy('reconcile/file/refusals');
const body = heldBy('reconcile/file/refusals', 'reconcile/file/statement');
const none = heldBy('reconcile/file/refusals', 'reconcile/file/statement');
const sides = heldBy('reconcile/file/refusals', 'reconcile/file/statement');
const currency = heldBy('reconcile/file/currencies', 'reconcile/file/refusals', 'reconcile/file/statement');
const statuses = heldBy('reconcile/file/statuses');
const statusWords = heldBy('reconcile/file/statuses', 'reconcile/never-agrees');
const currencyWords = heldBy('reconcile/file/currencies', 'reconcile/file/statement');
const statement = heldBy('reconcile/file/refusals');
const formats = heldBy('sheet/number-format');
const seen = heldBy('reconcile/file/workbook');
const records = heldBy('sheet/records');
const header = heldBy('reconcile/file/refusals');
const banks = heldBy('reconcile/never-agrees');
const layout = heldBy('reconcile/file/statement');
const map = heldBy('reconcile/file/settings');
const text = heldBy('reconcile/file/statement');
const json = heldBy('reconcile/file/statement');
const source = heldBy('sheet/file-source');
const guesses = heldBy('reconcile/file/refusals', 'reconcile/file/round-trip');

export const reconcileFiles = [
  amount('readAmount', 'an amount in parentheses is positive', [
    'isNegative = inner !== undefined || ',
    'isNegative = ',
  ]),
  amount('GROUPED', 'separators may stand between any digits', [
    '[0-9]{3}(?:\\1[0-9]{3})*$/,\n  comma',
    '[0-9]+(?:\\1[0-9]{3})*$/,\n  comma',
  ]),
  amount('readAmount', 'two signs are one', [
    'signs.length > (inner === undefined ? 1 : 0)',
    'signs.length > 2',
  ]),
  formats('showsDigits', 'a number that General shortens is seen whole', [
    "number.replace('-', '').length <= GENERAL_MAX_CHARACTERS",
    'true',
  ]),
  formats('signOfAmount', 'an amount may have more decimals than are seen', [
    'fraction.length > decimals.length',
    'false',
  ]),
  formats('sectionOf', 'a negative number has the format of a positive one', ['number < 0 ? 1 : 2', '2']),
  seen('#read', 'a reference may be a date', ['if (isText && (kind', 'if (false && (kind']),
  seen('#read', 'an amount has no currency beside it', ["sign === '' ? value : `${sign} ${value}`", 'value']),
  body('checkPayment', 'an error of a spreadsheet is a word', [
    'if (errorColumn === undefined)',
    'if (true)',
  ]),
  day('isoDay', 'a month has as many days as a date says', ['day < 1 || day > days', 'day < 1']),
  day('dayInZone', 'a time of another zone is one of the same day', [
    '+ zone.offsetMinutes(atMs) * 60_000',
    '',
  ]),
  decimals('doubt', 'decimals that could be thousands are taken for what comes first', [
    'this.mark === null ? this.#doubt : null',
    'null',
  ]),
  evidence('#isYearLast', 'a year of two digits is always last', ['this.#firsts.size >= YEARS_MAX', 'true']),
  evidence('add', 'a date that two orders read differently is no doubt where a third is out', [
    '!this.#doubts.has(order + other)',
    'this.#doubts.size === 0',
  ]),
  amounts('#readUndecided', 'a stream that decides too late is guessed', [
    'comma.amount !== point.amount',
    'comma.amount === null',
  ]),
  cells('#readNew', 'a date that contradicts all others narrows what is left', [
    'days.some(([, day]) => day !== value)',
    'false',
  ]),
  body('#rejectBelow', 'a total in the middle is left out', [
    'this.problems.add(record.line, null, `${why}, and stands between payments`);',
    '',
  ]),
  body('end', 'what stands below the last payment is left out without a word', [
    'else this.noteSkipped(record, why);',
    '',
  ]),
  body('end', 'money at the end that nothing names is left out', [
    'if (why === NO_REFERENCE) this.problems.add(record.line, null, why);',
    'if (false) this.problems.add(record.line, null, why);',
  ]),
  sides('#otherSignLine', 'what is taken back is paid', ['first.isNegative === isNegative', 'true']),
  currency('#checkUneven', 'two symbols are one currency', ['mark === firstMark ||', 'true ||']),
  currency('currenciesInName', 'the name of a column says no currency', [
    'return mentions.length === 0 ? null : commonCurrencies(mentions);',
    'return null;',
  ]),
  currencyWords('isCode', 'any three capital letters in a name are a currency', [
    'return isoCodes.has(code);',
    'return true;',
  ]),
  currencyWords('SYMBOLS', 'a symbol of many currencies is dollars', [
    '  $: [...DOLLARS, ',
    "  $: ['USD'] ?? [...DOLLARS, ",
  ]),
  statuses('read', 'a word that nobody knows is paid', [
    'if (column !== null && status === null)',
    'if (column === null && status === null)',
  ]),
  statuses('read', 'what is not looked at was paid', ['of this.ignored)', 'of this.ignored.slice(9))']),
  statusWords('meaningOfYes', 'a column that is called void is a status', [
    'some((part) => UNPAID_WORDS.has(part))',
    "some((part) => part === '')",
  ]),
  statusWords('meaningOfYes', 'a column that is called paid is a question', [
    "PAID_WORDS.has(word) ? 'paid' : null",
    "PAID_WORDS.has('') ? 'paid' : null",
  ]),
  statusWords('statusOf', 'a word of a refusal counts only alone', [
    'parts.some((part) => UNPAID_WORDS.has(part))',
    'parts.length === 1 && UNPAID_WORDS.has(word)',
  ]),
  statusWords('statusOf', 'a denied refusal is one', ['parts.some((part) => DENIALS.has(part))', 'false']),
  currency('#ofFile', 'a title says no currency', [
    'labelMentions.length > 0 ? labelMentions : textMentions',
    '[]',
  ]),
  currency('problemOf', 'what a total says of the currency is not looked at', [
    'if (mentions.length === 0) return null;',
    'return null;',
  ]),
  none('reasonNotPayment', 'a payment that begins with the word of a sum is one', [
    '!hasOtherPaymentKey() && !hasNamedAmount() && !isLikelyPayment()',
    '!hasOtherPaymentKey() && !isLikelyPayment()',
  ]),
  none('reasonNotPayment', 'a payment with a day and the name of a sum is one', [
    '!hasNamedAmount() && !isLikelyPayment()',
    '!hasNamedAmount()',
  ]),
  none('reasonNotPayment', 'somebody does not make a payment of a sum', [' || hasParty()', '']),
  body('#checkWidth', 'cells beyond the header are nothing', ['cells.length <= header.length ||', 'true ||']),
  none('reasonNotPayment', 'a total that says its date is a payment', [
    'filledKeys.length === 0 && !hasAmount && filledCells.some',
    'filledKeys.length === 9 && filledCells.some',
  ]),
  none('#setAside', 'what lacks a reference is left out wherever it stands', [
    'why === TOTAL || why === LONE_CELL',
    'true',
  ]),
  sides('#debitOrCredit', 'of debit and credit that are both filled one counts', [
    "if (debitAmount !== '0' && creditAmount !== '0')",
    "if (debitAmount === '' && creditAmount !== '')",
  ]),
  sides('#debitOrCredit', 'nothing goes out', ["side.amount === '0' ? null : direction", 'direction']),
  day('dayInZone', 'a moment is of the zone of its midnight', [
    'zone.offsetMinutes(atMs)',
    'zone.offsetMinutes(Date.parse(day))',
  ]),
  sides('#debitOrCredit', 'a debit comes in', [
    "([debit, 'payout'] as const)",
    "([debit, 'payin'] as const)",
  ]),
  currency('#narrow', 'a currency beside an amount is not compared with that of its column', [
    'candidates.length === 0 && !isUnknown',
    'false',
  ]),
  statement('readStatement', 'what can not be read is forgotten at the end', [
    "problems.throwIfAny(source.name, 'Nothing was reconciled.');",
    '',
  ]),
  records('#quotedRecord', 'a line end inside a cell does not count', ['lines += lineEnds(cell);', '']),
  records('#quotedRecord', 'what is behind a quoted cell belongs to nothing', [
    'fault: start === end ? null : QUOTE_INSIDE',
    'fault: null',
  ]),
  header(
    'columnsByMap',
    'of two columns of one name the first is meant',
    ['doubtful: indexes.filter(({ indexes: { length } }) => length > 1)', 'doubtful: []'],
    ['index === undefined || second !== undefined', 'index === undefined'],
  ),
  header('findHeader', 'payments stand above a header', [
    'headers.find(({ isUsable }) => isUsable) ?? headers',
    'headers',
  ]),
  layout('credibleColumns', 'a word for kinds of things is one for a direction', [
    'directionWord(cell.trim()) !== null',
    "cell !== ''",
  ]),
  banks('layoutOf', 'a column that bears the name of a field is not looked at beside a map', [
    "LEDGER_VOCABULARY, 'usage')",
    "{ ...LEDGER_VOCABULARY, ownField: () => undefined }, 'usage')",
  ]),
  banks('end', 'a last line that is cut off is left out', [
    'last !== undefined && isShort',
    'last === undefined && isShort',
  ]),
  banks('reasonNotPayment', 'money that a balance has is left out', ['isZero() && isUnnamed', 'isUnnamed']),
  amount('readWithSide', 'a credit that was taken back is one', [
    "(amount.isNegative && side === 'payin')",
    'false',
  ]),
  map('formatColumns', 'a name with a comma is written bare', ['/[",=]|^[0-9]+$/', '/^[0-9]+$/']),
  text('decode', 'Latin-1 has control characters where Windows has letters', [
    'WINDOWS_LETTERS[code.charCodeAt(0) - 0x80] ?? code',
    'code',
  ]),
  json('parseLine', 'a number of JSON loses digits', ['context?.source ?? String(value)', 'String(value)']),
  source('openFileSource', 'a file may change while it is read', [
    'after.size !== before.size || after.mtimeMs !== before.mtimeMs',
    'false',
  ]),
  guesses('guessesOf', 'a file whose beginning does not decide is guessed at', [
    'if (questions.length === 0) return all;',
    'return all;',
  ]),
  day('dayInZone', 'noon is at midnight', ['(Number(hours) % 12)', 'Number(hours)']),
  day('dayInZone', 'a zone in the west is one in the east', [
    "sign === '-' ? -1 : 1",
    "sign === '-' ? 1 : 1",
  ]),
  body('#setAside', 'twenty lines below the last payment are too many', [
    'this.#below.length > MARGIN_MAX',
    'this.#below.length >= MARGIN_MAX',
  ]),
  sides('#otherSignLine', 'a zero says the sign of its column', ["if (amount === '0') return null;", '']),
  layout('readStatement', 'negative amounts count if the last line has one', [
    'hasNegatives ||= line.isNegative',
    'hasNegatives = line.isNegative',
  ]),
  json('#record', 'a number in a file of commas has a point', [
    "this.mark === 'comma' ? cell.text.replace('.', ',') : cell.text",
    'cell.text',
  ]),
  layout('settingsOf', 'a format of two digits for the year is of four', [
    '!/[YA]{4}/i.test(dateFormat)',
    'false',
  ]),
];
