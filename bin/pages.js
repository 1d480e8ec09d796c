/** Answers what never changes between builds, before the program loads: its version, and pages of help that the build put together. */
'use strict';

const { fstatSync, statSync, writeSync } = require('node:fs');

/**
 * The answer to a command line such as `--version`, `payins create --help` or `help payins`; undefined where the program has to look
 * at it: anything else, other spellings, commands that do not exist.
 * @param {{ files: import('./files.js'), load(chunk: string): any }} program
 */
exports.answerTo = function answerTo(argv, { files, load }, screen) {
  if (argv.length === 1 && argv[0] === '--version') return `svc ${files.version()}\n`;
  const words = wordsOf(argv);
  if (words === undefined || !words.every((word) => /^[a-z]+(-[a-z]+)*$/.test(word))) return undefined;
  const page = words.join('.') || 'svc';
  const pages = files.open('svc.help', { isShown: true });
  if (!pages.has(page)) return undefined;
  screen ??= screenOf(process);
  // Laid out by the build: for no terminal, and for nobody who wants colours all the same.
  if (!screen.isTTY && screen.env.FORCE_COLOR === undefined) return pages.get(`${page}.txt`).toString();
  return load('command/help/layout.js').renderPage(JSON.parse(pages.get(page).toString()), screen);
};

/** Of a file's mode: what kind it is, and that of a character device. */
const TYPE = 0o170000;
const DEVICE = 0o020000;

/** The stream itself is asked only where it is a terminal: making it costs more than a page. */
function screenOf({ env }) {
  const isTTY = mayBeTerminal() && require('node:tty').isatty(1);
  return { isTTY, columns: isTTY ? (process.stdout.columns ?? 0) : 0, env, noColour: false };
}

/** A terminal is a device, and another one than /dev/null: a pipe, a file and that need not be asked by what loads streams. */
function mayBeTerminal() {
  const { mode, rdev } = fstatSync(1);
  return (mode & TYPE) === DEVICE && rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
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
