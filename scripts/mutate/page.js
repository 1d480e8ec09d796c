/** Mistakes in the page of the sandbox: lists that grow, lines that are typed, what is sent again, forms. */
import { inFile } from './mutant.js';

const splice = inFile('sandbox/page/splice.ts', 'page/splice');
const call = inFile('sandbox/page/call.ts', 'page/lines');
const again = inFile('sandbox/page/again.ts', 'page/calls');
const actions = inFile('sandbox/page/actions.ts', 'page/calls');
const arming = inFile('sandbox/page/arming.ts', 'page/calls');
const deeds = inFile('sandbox/page/deeds.ts', 'page/calls');
const catalog = inFile('sandbox/page/catalog.ts', 'page/calls');

export const page = [
  splice('a row is there twice', ['rest.slice(last + 1)', 'rest.slice(last)']),
  splice('what is no more stays at the end', [
    'if (page.isEnd || oldest === undefined) return',
    'if (oldest === undefined) return',
  ]),
  splice('a list that begins anew keeps what was there', [
    'if (at === 0 && !rest.some(({ id }) => known.has(id))) return page.rows;',
    '',
  ]),
  call('a body that begins with @ is the name of a file', ["'--data-raw'", "'--data'"]),
  call('curl takes brackets in a path for a range', ["'-sS', '-g'", "'-sS'"]),
  call('a line for the sandbox goes to whatever is configured', [
    "commandLine(['svc', ...words, '--base-url', origin])",
    "commandLine(['svc', ...words])",
  ]),
  call('bytes that are no text are sent as their base64', [' | base64 -d | ', ' | ']),
  call('a live key is used in the sandbox', ["'live' ? '' : '/sandbox'", "'live' ? '/sandbox' : '/sandbox'"]),
  again('a code that was masked is sent again', [" || endpoint === 'payins.confirm'", '']),
  again('what was cut is sent as if it were whole', ['side.truncated === true || ', '']),
  again('another payment has the key of the first', [
    "...(newKey !== null && { 'Idempotency-Key': newKey })",
    '...{}',
  ]),
  actions('the bank refuses for another reason than the one chosen', [
    "'--failure', value]",
    "'--failure', ALL_FAILURES[0] ?? '']",
  ]),
  actions('a wrong code is the right one', ["code === '000000' ? '111111' : '000000'", "'000000'"]),
  arming('the line holds an answer back a thousand times longer', [
    'Math.ceil(delay / 1000)',
    'Math.ceil(delay)',
  ]),
  arming('the line arms one request more', ["'--count', String(count)", "'--count', String(count + 1)"]),
  deeds('the clock is moved by minutes', ['`${String(seconds)}s`', '`${String(seconds)}m`']),
  catalog('a field that nobody filled in is sent', ["return value === '' ? [] : ", 'return ']),
  catalog('every method takes a mandate', ['if (!methods.some((one) => one === code)) return [];', '']),
  catalog('the line leaves the mandate out', ["['--mandate', `${name}=${value}`]", '[]']),
];
