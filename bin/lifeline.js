/** The child's end of the channel to the launcher (run.js): ends when the launcher is gone, and takes signals that only it received. */
'use strict';

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

/** As on SIGTERM, so that the program can save its state. */
function end() {
  process.kill(process.pid, 'SIGTERM');
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
