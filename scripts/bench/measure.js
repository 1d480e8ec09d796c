import { spawnSync } from 'node:child_process';

const WARM_UP = 3;

/**
 * @typedef {{ what: string, unit: string, goal?: { atMost?: number, atLeast?: number }, median: number, min: number, max: number, n: number }} Row
 * @typedef {{ what: string, command: string, args: string[], env: NodeJS.ProcessEnv, input?: Buffer, atMost?: number }} Subject
 */

/**
 * Measures a command between two empty starts of Node, n times.
 * @param {Subject} subject
 * @param {number} n
 * @returns {Row}
 */
export function paired(subject, n = 21) {
  const ratios = [];
  for (let round = -WARM_UP; round < n; round += 1) {
    const base = emptyStartMs(subject.env);
    const taken = timeMs(subject);
    if (round >= 0) ratios.push(taken / base);
  }
  const goal = subject.atMost === undefined ? {} : { goal: { atMost: subject.atMost } };
  return { what: subject.what, unit: 'empty starts', ...goal, ...spread(ratios, 2) };
}

/** @param {NodeJS.ProcessEnv} env */
export function emptyStartMs(env) {
  return timeMs({ what: 'node -e 0', command: process.execPath, args: ['-e', '0'], env });
}

/** @param {Subject} subject */
export function timeMs({ what, command, args, env, input }) {
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(command, args, {
    env,
    input,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'ignore', 'pipe'],
  });
  const takenMs = performance.now() - startedMs;
  if (status !== 0) throw new Error(`${what} ended with ${status}:\n${String(stderr)}`);
  return takenMs;
}

/** @param {number[]} values @param {number} digits */
export function spread(values, digits) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ index) => Number((sorted[index] ?? Number.NaN).toFixed(digits));
  return {
    median: at(Math.floor(sorted.length / 2)),
    min: at(0),
    max: at(sorted.length - 1),
    n: sorted.length,
  };
}

export const MEMORY = 'memory of the same';

/**
 * Comes straight after the row of what took the memory.
 * @param {number[]} values
 * @returns {Row}
 */
export function memoryRow(values, atMost = 150) {
  return { what: MEMORY, unit: 'MB', goal: { atMost }, ...spread(values, 0) };
}

/** @param {string} program */
export function isInstalled(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}
