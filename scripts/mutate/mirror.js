/** Mistakes in what this machine knows of the feed. */
import { inFile } from './mutant.js';

const reading = inFile('mirror/reading.ts', 'mirror/reading');
const operations = inFile('mirror/operations.ts', 'mirror/operations');
const company = inFile('mirror/company.ts', 'mirror/company');
const shared = inFile(
  'mirror/store/postgres/statements.ts',
  'state/cluster',
  'mirror/sync',
  'mirror/company',
);

export const mirror = [
  reading('an event may be a day late and no more', ['LATE_MS = 48 *', 'LATE_MS = 24 *']),
  reading('an event that is dated ahead moves the reading past what is late', [
    'Math.min(newestMs, begunAtMs ?? Infinity)',
    'newestMs',
  ]),
  reading('a reading that went on in the middle counts as a whole one', [
    'isLoose: !isOld',
    'isLoose: false',
  ]),
  reading('what is just old enough is read again', ['upToMs <= oldMs', 'upToMs < oldMs']),
  operations('an event that contradicts its operation is believed', [
    'if (isKnownStatus && claims.status !== status) {',
    'if (!isKnownStatus && claims.status !== status) {',
  ]),
  company('a sandbox and the live service are one company', [
    "if (company.environment !== place.environment) return 'other';",
    '',
  ]),
  company('an operation that is not seen proves another company', [
    "=== 'there' ? 'same' : 'unknown';\n}\n\nasync function newestOf",
    "=== 'there' ? 'same' : 'other';\n}\n\nasync function newestOf",
  ]),
  shared('what was read before another server took over is gone on with', [
    "|| '-' || ${cluster} || '-' || coalesce(${timeline}, 0)",
    '',
  ]),
  shared('what is still read for a mirror that was begun anew gets into the new one', [
    ' AND ${epoch(sql)} = $2',
    '',
  ]),
];
