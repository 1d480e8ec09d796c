/** Programs whose power is cut, each of which does not wait for the disk somewhere. */
import { buildProgram, type Variant } from '../../support/variant.js';

const START = "import { start } from './src/main.js'; await start({ mapStack: (stack) => stack });";

/** Leaves it to the kernel when a store is written. */
export const NOT_SYNCED: Variant = {
  name: 'power-not-synced',
  room: 'runtime',
  within: 'SYNCED',
  changes: [['synchronous = FULL', 'synchronous = OFF']],
};

/** Takes an answer in a file for written when the kernel has it. */
export const OUTPUT_NOT_SYNCED: Variant = {
  name: 'power-output-not-synced',
  room: 'runtime',
  within: 'durabilityBy',
  changes: [['return sync();', 'return sync === undefined ? sync : undefined;']],
};

/** @returns the path of a program that breaks one promise */
export function brokenProgram(variant: Variant): Promise<string> {
  return buildProgram(variant.name, START, [variant]);
}
