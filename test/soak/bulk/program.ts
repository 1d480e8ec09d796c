import { variant } from '../broken.js';

/** Every sending has a key of its own, so a payment without an answer is made again. */
export const NEW_KEYS = variant('bulk-new-keys', 'rowSender', [
  'client.prepare(create, { body }, key)',
  'client.prepare(create, { body }, key + crypto.randomUUID())',
]);

/** Records a row as sent before it is sent, so a kill in between loses the row. */
export const MARKS_EARLY = variant('bulk-marks-early', 'exchangeRows', [
  "SET state = 'intent'",
  "SET state = 'accepted'",
]);

/** The key depends on the name of the batch, so another name pays again. */
export const KEY_OF_BATCH = variant(
  'stores-key-of-batch',
  'addBlock',
  [
    'const key = deriveKey({ ...facts, reference: row.reference,',
    'const key = deriveKey({ ...facts, reference: row.reference + facts.createdAtMs,',
  ],
  ["if (finding.kind === 'paid') paid.add(", "if (finding.kind === 'paid' && facts.name === '') paid.add("],
);
