/** Where oclif's own tools find the commands (package.json names this file): they want them at once, and as a module. */
import { dirname } from 'node:path';
import { loadBuilt } from '../build/program.js';

const { allCommands, TOPICS } = loadBuilt(dirname(dirname(import.meta.dirname)), 'all.js');

export const COMMANDS = await allCommands();
export { TOPICS };
