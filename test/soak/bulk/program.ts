/** Batches that break one promise on purpose. */
import { variant } from '../broken.js';

/** Every sending has a key of its own: what was carried out and not answered is carried out again. */
export const NEW_KEYS = variant('bulk-new-keys', 'rowSender', [
  'client.prepare(create, { body }, key)',
  'client.prepare(create, { body }, key + crypto.randomUUID())',
]);

/** Takes a row for sent before it is: a kill in between loses it. */
export const MARKS_EARLY = variant('bulk-marks-early', 'exchangeRows', [
  "SET state = 'intent'",
  "SET state = 'accepted'",
]);

/** The key says which batch it is of: another name pays again. */
export const KEY_OF_BATCH = variant(
  'stores-key-of-batch',
  'addBlock',
  [
    'const key = deriveKey({ ...facts, reference: row.reference,',
    'const key = deriveKey({ ...facts, reference: row.reference + facts.createdAtMs,',
  ],
  ["if (finding.kind === 'paid') paid.add(", "if (finding.kind === 'paid' && facts.name === '') paid.add("],
);
