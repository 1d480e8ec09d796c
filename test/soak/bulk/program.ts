/** Batches that break one promise on purpose. */
import type { Variant } from '../../support/variant.js';

/** Every sending has a key of its own: what was carried out and not answered is carried out again. */
export const NEW_KEYS: Variant = {
  name: 'bulk-new-keys',
  room: 'cli',
  within: 'sendingOver',
  changes: [
    ['client.prepare(create, { body }, key)', 'client.prepare(create, { body }, key + crypto.randomUUID())'],
  ],
};

/** Takes a row for sent before it is: a kill in between loses it. */
export const MARKS_EARLY: Variant = {
  name: 'bulk-marks-early',
  room: 'bulk',
  within: 'exchangeRows',
  changes: [["SET state = 'intent'", "SET state = 'accepted'"]],
};
