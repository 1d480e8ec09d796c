import { heldBy } from './mutant.js';

const escape = heldBy('output/escape');
const redact = heldBy('output/redact');
const encodings = heldBy('output/redact');
const csv = heldBy('output/csv');
const mode = heldBy('output/mode');

export const output = [
  escape('escapeLines', 'a carriage return may write over its line', [
    "text[at + 1] === '\\n'",
    "text[at + 1] !== ''",
  ]),
  redact('createRedactor', 'a secret inside another leaves the rest of that', [
    '(a, b) => b.length - a.length',
    '(a, b) => a.length - b.length',
  ]),
  redact('maskAllButLastFour', 'an account of four digits is shown', [
    'return value.length > 4 &&',
    'return value.length >= 4 &&',
  ]),
  redact('SECRET_SHAPES', 'a token behind Bearer is shown where a space is encoded', [
    String.raw`(\s+|%20|\+)`,
    String.raw`(\s+)`,
  ]),
  encodings('base64Forms', 'a key in base64 is found at one offset of three', [
    'return [0, 1, 2].flatMap((offset) => {',
    'return [0].flatMap((offset) => {',
  ]),
  csv('safeCell', 'text that begins like a formula is one', [
    'disarm(showInvisible(text))',
    'showInvisible(text)',
  ]),
  csv('createCsvWriter', 'a line end in a value splits its row', [', quoted_match: LINE_END', '']),
  mode('chooseMode', 'a pipe gets a table', ["return isTTY ? 'table' : 'json';", "return 'table';"]),
];
