/** Which runs of the harnesses may write figures into docs/benchmarks.json. */

/** Variables that make a run smaller, or draw another one: what is counted with one of them is not what is published. */
export const VARIABLES = ['COUNT', 'FIRST', 'HISTORIES_KILLS', 'POWER_SHARE', 'SEED'];

/** Why the figures of a run are not written; null where they are. @param {NodeJS.ProcessEnv} env */
export function whyNotWritten(env) {
  const found = VARIABLES.filter((name) => env[name] !== undefined);
  if (found.length === 0) return null;
  return `The figures stay as they were, because ${found.join(' and ')} ${found.length === 1 ? 'is' : 'are'} set.`;
}
