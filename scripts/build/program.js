import { createRequire } from 'node:module';
import { join } from 'node:path';

/** @param {string} root @param {string} chunk @returns {any} */
export function loadBuilt(root, chunk) {
  const load = createRequire(join(root, 'bin', 'run.js'));
  return load('./program.js').openProgram(load('./files.js'), { compiled: NOTHING }).load(chunk);
}

const NOTHING = { get: () => undefined, took: () => undefined };
