/** The program that was just built, as the scripts of this repository load it. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * @param {string} root the project's folder, built
 * @param {string} chunk `main.js`
 * @returns {any} what it exports
 */
export function loadBuilt(root, chunk) {
  const load = createRequire(join(root, 'bin', 'run.js'));
  return load('./program.js').openProgram(load('./files.js'), { compiled: NOTHING }).load(chunk);
}

const NOTHING = { get: () => undefined, took: () => undefined };
