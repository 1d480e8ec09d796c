/** With one of these variables a run is smaller or another one, so its figures are not published. */
export const VARIABLES = ['COUNT', 'FIRST', 'HISTORIES_KILLS', 'POWER_SHARE', 'SEED'];

/** @param {NodeJS.ProcessEnv} env */
export function whyNotWritten(env) {
  const found = VARIABLES.filter((name) => env[name] !== undefined);
  if (found.length === 0) return null;
  return `The figures stay as they were, because ${found.join(' and ')} ${found.length === 1 ? 'is' : 'are'} set.`;
}
