import { variant } from '../broken.js';

export const NOT_SYNCED = variant('power-not-synced', 'SYNCED_COMMITS', [
  'synchronous = FULL',
  'synchronous = OFF',
]);

export const OUTPUT_NOT_SYNCED = variant('power-output-not-synced', 'coalesceSyncs', [
  'return sync();',
  'return sync === undefined ? sync : undefined;',
]);
