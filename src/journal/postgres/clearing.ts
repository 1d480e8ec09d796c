/** Lets what was recorded in the shared book leave, where it is what it was, and what it is sent in the place of as well. */
import type { TimeAnchor } from '../../contract/moment.js';
import type { Clearing } from '../journal.js';
import type { KeptRequest, OpenRequest } from '../request.js';
import { CLEAR_REQUEST } from './changes.js';
import { hidden, type JournalWorld } from './records.js';
import { momentOf, wholeMs } from './recording.js';

/** @param token by which this sending is known, and was recorded where it was @returns null where it may not leave */
export async function clearShared(
  request: KeptRequest,
  { left, sender, over, anchor }: Clearing,
  token: string,
  world: JournalWorld,
): Promise<OpenRequest | null> {
  const { body } = request;
  if (body === null) return null;
  const values = [
    ...[request.row, token, world.name, world.answerMs, ...asItWas(request)],
    ...[hidden(body, request, world.key), sender.keyMask, sender.keyPrint, sender.address, sender.origin],
    ...momentOf(left),
    ...[over?.row ?? null, ...(over === undefined ? NOBODY : asItWas(over)), over?.sendings ?? null],
    ...anchorOf(anchor),
  ];
  const { rows } = await world.connection.run<{ left_at: number }>(CLEAR_REQUEST, values);
  const [cleared] = rows;
  if (cleared === undefined) return null;
  const first = request.left ?? { ...left, sharedMs: cleared.left_at };
  const facts = { ...sender, state: 'open', sendings: request.sendings + 1, body } as const;
  return { ...request, ...facts, left: first, firstLeftMs: first.serviceMs ?? first.wallMs };
}

const NOBODY = [null, null, null, null, null, null] as const;

function asItWas({ idempotencyKey, state, mayNotRepeat, settled }: KeptRequest): readonly unknown[] {
  const is = (...states: readonly KeptRequest['state'][]): boolean => states.includes(state);
  return [
    ...[idempotencyKey, is('recorded'), is('settled'), is('forgotten')],
    ...[mayNotRepeat, settled?.operation ?? null],
  ];
}

/** As statements take it. */
export function anchorOf(anchor: TimeAnchor | null | undefined): readonly (string | number | null)[] {
  if (anchor === null || anchor === undefined) return [null, null, null];
  return [anchor.bootId, wholeMs(anchor.bootMs), wholeMs(anchor.serviceMs)];
}
