/** The members of a body as a file can give them: which ones a row of each direction may have, and in what order they are written. */
import type { NewPayin, NewPayout } from '../../contract/bodies.js';
import type { Direction } from '../../contract/methods.js';

/**
 * Bodies that are built from columns are written in this order, so that columns may move between two runs and the bytes, and with them the
 * answer to the row's key, stay the same. A new member does not compile until it is here; the order of those that are here never changes.
 */
const ORDERED: Readonly<Record<keyof NewPayin | keyof NewPayout, true>> = {
  amount: true,
  country: true,
  currency: true,
  method: true,
  reference: true,
  purpose: true,
  expires_in_hours: true,
  payer: true,
  beneficiary: true,
  mandate: true,
  metadata: true,
};

/** Every member of a body, in the order in which it is written. */
export const MEMBER_ORDER: readonly string[] = Object.keys(ORDERED);

type Plain<Body, Nested extends keyof Body> = Readonly<Record<Exclude<keyof Body, Nested>, true>>;

const SHARED = { amount: true, country: true, currency: true, method: true, reference: true } as const;
const OF_PAYIN: Plain<NewPayin, 'payer' | 'mandate' | 'metadata'> = { ...SHARED, expires_in_hours: true };
const OF_PAYOUT: Plain<NewPayout, 'beneficiary' | 'metadata'> = { ...SHARED, purpose: true };

/** The members that are one value, and so one column. A new one does not compile until it is here. */
export const PLAIN_MEMBERS: Readonly<Record<Direction, readonly string[]>> = {
  payin: Object.keys(OF_PAYIN),
  payout: Object.keys(OF_PAYOUT),
};
