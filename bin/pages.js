/** Answers what never changes between builds, before the program loads: its version, and pages of help that the build put together. */
'use strict';

const { readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');
const { isatty } = require('node:tty');

const ROOT = join(__dirname, '..');

/**
 * The answer to a command line such as `--version`, `payins create --help` or `help payins`, or a promise of it; undefined where
 * the program has to look at it: anything else, other spellings, commands that do not exist.
 */
exports.answerTo = function answerTo(argv, screen = screenOf(process)) {
  if (argv.length === 1 && argv[0] === '--version') return `svc ${require('../package.json').version}\n`;
  const words = wordsOf(argv);
  if (words === undefined || !words.every((word) => /^[a-z]+(-[a-z]+)*$/.test(word))) return undefined;
  let page;
  try {
    page = JSON.parse(readFileSync(join(ROOT, 'dist/help', `${words.join('.') || 'svc'}.json`), 'utf8'));
  } catch {
    return undefined;
  }
  return import('../dist/cli/help/layout.js').then(({ renderPage }) => renderPage(page, screen));
};

/** The stream itself is asked only where it is a terminal: making it costs more than a page. */
function screenOf({ env }) {
  const isTTY = isatty(1);
  return { isTTY, columns: isTTY ? (process.stdout.columns ?? 0) : 0, env, noColour: false };
}

/**
 * Writes a text to standard output, without loading what streams need; a reader that is gone has read enough.
 * False where it can't be written, as on a full disk: the program meets the same, and reports it as it reports everything.
 */
exports.print = function print(text) {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written);
  } catch (error) {
    if (error.code === 'EAGAIN') process.stdout.write(bytes.subarray(written));
    else return error.code === 'EPIPE';
  }
  return true;
};

function wordsOf(argv) {
  if (argv.at(-1) === '--help' || argv.at(-1) === '-h') return argv.slice(0, -1);
  return argv[0] === 'help' ? argv.slice(1) : undefined;
}
