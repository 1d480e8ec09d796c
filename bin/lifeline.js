'use strict';

const { spawnSync } = require('node:child_process');
const { writeSync } = require('node:fs');
const { isatty } = require('node:tty');

/** A signal of a terminal reaches both processes at about the same time. */
const GRACE_MS = 100;

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

/** The program ends at once, because the shell already shows its prompt. A kill at any moment loses no payment. */
function end() {
  try {
    restoreTerminal();
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

const COOKED = 'brkint icrnl ixon echo icanon iexten isig';
const SHOW_CURSOR = '\x1b[?25h';
const STTY_TIMEOUT_MS = 1000;

function restoreTerminal() {
  if (!isatty(0) || !process.stdin.isRaw) return;
  const screen = [2, 1].find((descriptor) => isatty(descriptor));
  if (screen !== undefined) writeSync(screen, SHOW_CURSOR);
  // The terminal belongs to the shell again. A process that changes it is stopped by SIGTTOU, unless the process
  // ignores that signal.
  spawnSync('/bin/sh', ['-c', `trap '' TTOU; stty ${COOKED}`], {
    stdio: ['inherit', 'ignore', 'ignore'],
    timeout: STTY_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
}

/** Counts without listeners, because a listener would keep a signal from ending the process. */
function countSignals() {
  const seen = new Map();
  const emit = process.emit;
  process.emit = function (name, ...rest) {
    if (typeof name === 'string' && name.startsWith('SIG')) seen.set(name, (seen.get(name) ?? 0) + 1);
    return emit.call(process, name, ...rest);
  };
  return seen;
}
