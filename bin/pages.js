/** Answers what never changes between builds, before the program loads: its version, and pages of help rendered by the build. */
'use strict';

const { readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');

/**
 * The answer to a command line such as `--version`, `payins create --help` or `help payins`; undefined where the program
 * has to look at it: anything else, other spellings, commands that do not exist.
 */
exports.answerTo = function answerTo(argv) {
  if (argv.length === 1 && argv[0] === '--version') return `svc ${require('../package.json').version}\n`;
  const words = wordsOf(argv);
  if (words === undefined || !words.every((word) => /^[a-z]+(-[a-z]+)*$/.test(word))) return undefined;
  try {
    return readFileSync(join(ROOT, 'dist/help', `${words.join('.') || 'svc'}.txt`), 'utf8');
  } catch {
    return undefined;
  }
};

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
