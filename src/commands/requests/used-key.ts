/** What a person says of a key that other data used: that it was not paid, or which operation it made. Nothing leaves but reads. */
import { KeyNotes } from '../../cli/create/key-notes.js';
import { KnownPayments } from '../../cli/create/known-payments.js';
import { notThere } from '../../cli/create/request-failures.js';
import { settledOf } from '../../cli/create/sending.js';
import { maskOfKey, type Sender } from '../../cli/session/address.js';
import { KEY_SAFE_MS } from '../../contract/limits.js';
import { referenceMark } from '../../contract/marks.js';
import type { Direction } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import { aboutOf, type Leaving } from '../../journal/request.js';
import type { RepeatWorld } from './repetition.js';

/**
 * The payment whose key was used.
 * @returns as `sinceMs` since when operations that were made may be what used the key
 * @throws Failure `not_found` for a key of which nothing is known
 */
export async function usedPaymentOf(key: string, place: Sender, world: RepeatWorld) {
  const notes = new KeyNotes(world.journal, place, world);
  const used = (await notes.of(key)).find(({ kind }) => kind === 'used');
  if (used === undefined) throw notThere(world);
  const [direction, ...reference] = Buffer.from(used.body).toString('utf8').split('\n');
  const payee = {
    direction: direction === 'payin' ? 'payin' : 'payout',
    reference: reference.join('\n'),
  } as const;
  const asked = { ...payee, referenceMark: referenceMark(payee.reference), place, isStrict: true };
  const standing = new KnownPayments(asked, world.journal, world);
  return { key, ...payee, standing, notes, sinceMs: used.notedAtMs - KEY_SAFE_MS };
}

/** From now on this operation stands in the way of another payment of its reference. */
export async function keepAsMade(
  { key, direction }: { readonly key: string; readonly direction: Direction },
  operation: OperationFacts,
  place: Sender,
  { journal, session }: RepeatWorld,
): Promise<void> {
  const { reference, amount, currency } = operation;
  const members = { reference, amount, currency };
  const body = Buffer.from(JSON.stringify(members));
  const endpoint = `${direction}s.create` as const;
  const leaving: Leaving = {
    ...{ idempotencyKey: key, isOwnKey: false, follows: null, generation: null, endpoint, body },
    ...{ path: `/v2/${direction}s`, keyMask: maskOfKey(session.key), sinceMs: null },
    ...place,
    ...aboutOf(endpoint, body, members),
  };
  const recorded = await journal.record(leaving, {
    ageOf: () => ({ kind: 'time_unknown' }),
    companyOf: () => 'other',
  });
  if ('kind' in recorded) return;
  const open = await journal.clear(recorded.request, { left: session.clock.moment(), sender: leaving });
  if (open !== null) await journal.settle(open, settledOf(operation));
}
