/** Batches that break one promise on purpose. */
import { variant } from '../broken.js';

/** Every sending has a key of its own: what was carried out and not answered is carried out again. */
export const NEW_KEYS = variant('bulk-new-keys', 'cli', 'rowSender', [
  'client.prepare(create, { body }, key)',
  'client.prepare(create, { body }, key + crypto.randomUUID())',
]);

/** Takes a row for sent before it is: a kill in between loses it. */
export const MARKS_EARLY = variant('bulk-marks-early', 'bulk', 'exchangeRows', [
  "SET state = 'intent'",
  "SET state = 'accepted'",
]);
