/** The tools of oclif find the commands here: package.json names this file. */
import { dirname } from 'node:path';
import { loadBuilt } from '../build/program.js';

const { allCommands, TOPICS } = loadBuilt(dirname(dirname(import.meta.dirname)), 'all.js');

export const COMMANDS = await allCommands();
export { TOPICS };
