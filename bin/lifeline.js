/** The child's end of the channel to the launcher (launcher.js): ends when the launcher is gone, and takes signals that only it received. */
'use strict';

const { spawnSync } = require('node:child_process');
const { writeSync } = require('node:fs');
const { isatty } = require('node:tty');

/** A terminal's signal reaches both processes at about the same time: long enough to see our own first. */
const GRACE_MS = 100;

/** Holds on to the launcher without keeping this process alive, and without passing anything on to its children. */
exports.hold = function hold() {
  const isChild = process.env.SVC_LAUNCHER === String(process.ppid);
  const wasChild = process.send !== undefined;
  delete process.env.SVC_LAUNCHER;
  if (!wasChild) return;
  const seen = countSignals();

  process.on('disconnect', end);
  process.on('message', ({ signal, count }) => {
    setTimeout(() => {
      if ((seen.get(signal) ?? 0) < count) process.kill(process.pid, signal);
    }, GRACE_MS).unref();
  });
  process.channel?.unref();
  if (!isChild || !process.connected) end();
};

/**
 * At once: the shell has its prompt back, and a program that went on would draw over it, hold its locks and pay with nobody watching.
 * What is durable is safe at any moment, so nothing is waited for; code that has something to end listens to `disconnect` before this.
 */
function end() {
  try {
    restoreTerminal();
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

/** What raw mode took from the terminal, as stty names it. */
const COOKED = 'brkint icrnl ixon echo icanon iexten isig';
const SHOW_CURSOR = '\x1b[?25h';
const STTY_TIMEOUT_MS = 1000;

function restoreTerminal() {
  if (!isatty(0) || !process.stdin.isRaw) return;
  const screen = [2, 1].find((descriptor) => isatty(descriptor));
  if (screen !== undefined) writeSync(screen, SHOW_CURSOR);
  // The terminal is the shell's again: a change from here would stop this process (SIGTTOU), but not one that ignores that.
  spawnSync('/bin/sh', ['-c', `trap '' TTOU; stty ${COOKED}`], {
    stdio: ['inherit', 'ignore', 'ignore'],
    timeout: STTY_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
}

/** Counts the signals that the program is told about, without listening: a listener would keep a signal from ending the process. */
function countSignals() {
  const seen = new Map();
  const emit = process.emit;
  process.emit = function (name, ...rest) {
    if (typeof name === 'string' && name.startsWith('SIG')) seen.set(name, (seen.get(name) ?? 0) + 1);
    return emit.call(process, name, ...rest);
  };
  return seen;
}
