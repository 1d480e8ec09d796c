/** Programs whose power is cut, each of which does not wait for the disk somewhere. */
import { variant } from '../broken.js';

/** Leaves it to the kernel when a store is written. */
export const NOT_SYNCED = variant('power-not-synced', 'SYNCED_COMMITS', [
  'synchronous = FULL',
  'synchronous = OFF',
]);

/** Takes an answer in a file for written when the kernel has it. */
export const OUTPUT_NOT_SYNCED = variant('power-output-not-synced', 'coalesceSyncs', [
  'return sync();',
  'return sync === undefined ? sync : undefined;',
]);
