'use strict';

const { fstatSync, statSync, writeSync } = require('node:fs');

/** @param {{ files: import('./files.js'), load(chunk: string): any }} program */
exports.answerTo = function answerTo(argv, { files, load }, screen) {
  if (argv.length === 1 && argv[0] === '--version') return `svc ${files.version()}\n`;
  const words = wordsOf(argv);
  if (words === undefined || !words.every((word) => /^[a-z]+(-[a-z]+)*$/.test(word))) return undefined;
  const page = words.join('.') || 'svc';
  const pages = files.open('svc.help', { isShown: true });
  if (!pages.has(page)) return undefined;
  screen ??= screenOf(process);
  if (!screen.isTTY && screen.env.FORCE_COLOR === undefined) return pages.get(`${page}.txt`).toString();
  return load('command/help/layout.js').renderPage(JSON.parse(pages.get(page).toString()), screen);
};

const TYPE = 0o170000;
const DEVICE = 0o020000;

/** The stream is made only for a terminal, because making it costs more than printing a page. */
function screenOf({ env }) {
  const isTTY = mayBeTerminal() && require('node:tty').isatty(1);
  return { isTTY, columns: isTTY ? (process.stdout.columns ?? 0) : 0, env, noColour: false };
}

/** A terminal is a character device other than /dev/null. */
function mayBeTerminal() {
  const { mode, rdev } = fstatSync(1);
  return (mode & TYPE) === DEVICE && rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/** Returns false if the text can't be written, as on a full disk. The program then fails and reports that. */
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
