import { heldBy } from './mutant.js';

const splice = heldBy('page/splice');
const call = heldBy('page/lines');
const bytes = heldBy('page/lines');
const again = heldBy('page/calls');
const actions = heldBy('page/calls');
const arming = heldBy('page/calls');
const deeds = heldBy('page/calls');
const catalog = heldBy('page/calls');

export const page = [
  splice('mergePage', 'a row is there twice', ['rest.slice(last + 1)', 'rest.slice(last)']),
  splice('mergePage', 'what is no more stays at the end', [
    'if (page.isEnd || oldest === undefined) return',
    'if (oldest === undefined) return',
  ]),
  splice('mergePage', 'a list that is replaced keeps what was there', [
    'if (at === 0 && !rest.some(({ id }) => knownIds.has(id))) return page.rows;',
    '',
  ]),
  call('curlLine', 'a body that begins with @ is the name of a file', ["'--data-raw'", "'--data'"]),
  call('curlLine', 'curl takes brackets in a path for a range', ["'-sS', '-g'", "'-sS'"]),
  call('svcCommandLine', 'a line for the sandbox goes to whatever is configured', [
    "commandLine(['svc', ...words, '--base-url', origin])",
    "commandLine(['svc', ...words])",
  ]),
  bytes('curlLine', 'bytes that are no text are sent as their base64', [' | base64 -d | ', ' | ']),
  call('serviceCall', 'a live key is used in the sandbox', [
    "'live' ? '' : '/sandbox'",
    "'live' ? '/sandbox' : '/sandbox'",
  ]),
  again('repeatCall', 'a code that was masked is sent again', [" || endpoint === 'payins.confirm'", '']),
  again('repeatCall', 'what was cut is sent as if it were whole', ['side.truncated === true || ', '']),
  again('repeatCall', 'another payment has the key of the first', [
    "...(newKey !== null && { 'Idempotency-Key': newKey })",
    '...{}',
  ]),
  actions('bankActions', 'the bank refuses for another reason than the one chosen', [
    "'--failure', value]",
    "'--failure', ALL_FAILURES[0] ?? '']",
  ]),
  actions('wrongCode', 'a wrong code is the right one', [
    "code === '000000' ? '111111' : '000000'",
    "'000000'",
  ]),
  arming('faultCommand', 'the line holds an answer back a thousand times longer', [
    'Math.ceil(delayMs / 1000)',
    'Math.ceil(delayMs)',
  ]),
  arming('faultCommand', 'the line arms one request more', [
    "'--count', String(count)",
    "'--count', String(count + 1)",
  ]),
  deeds('clockCommand', 'the clock is moved by minutes', ['`${String(seconds)}s`', '`${String(seconds)}m`']),
  catalog('nonEmpty', 'a field that nobody filled in is sent', ["return value === '' ? [] : ", 'return ']),
  catalog('otherFields', 'every method takes a mandate', [
    ' && methods?.some((one) => one === code) !== false',
    '',
  ]),
  catalog('createWords', 'the line leaves the mandate out', [
    'return [flag, `${inner}=${value}`];',
    'return [];',
  ]),
  catalog('valueOf', 'a number is sent as a text', ['? Number(value) : value', '? value : value']),
];
