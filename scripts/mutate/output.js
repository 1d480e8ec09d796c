/** Mistakes in what a terminal, a log or a spreadsheet gets to see. */
import { inFile } from './mutant.js';

const escape = inFile('output/escape.ts', 'output/escape');
const redact = inFile('output/redact.ts', 'output/redact');
const encodings = inFile('output/redact.ts', 'output/redact');
const csv = inFile('output/csv.ts', 'output/csv');
const mode = inFile('output/mode.ts', 'output/mode');

export const output = [
  escape('a carriage return may write over its line', ["text[at + 1] === '\\n'", "text[at + 1] !== ''"]),
  redact('a secret inside another leaves the rest of that', [
    '(a, b) => b.length - a.length',
    '(a, b) => a.length - b.length',
  ]),
  redact('an account of four digits is shown', ['return value.length > 4 &&', 'return value.length >= 4 &&']),
  redact('a token behind Bearer is shown where a space is encoded', [
    String.raw`(\s+|%20|\+)`,
    String.raw`(\s+)`,
  ]),
  encodings('a key in base64 is found at one offset of three', [
    'return [0, 1, 2].flatMap((offset) => {',
    'return [0].flatMap((offset) => {',
  ]),
  csv('text that begins with a minus is a formula', [String.raw`/^[=+\-@\t\r]/`, String.raw`/^[=+@\t\r]/`]),
  csv('a line end in a value splits its row', [', quoted_match: LINE_END', '']),
  mode('a pipe gets a table', ["return isTTY ? 'table' : 'json';", "return 'table';"]),
];
