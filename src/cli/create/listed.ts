/** Sends a create of which something may be known: asked about once it was recorded, and sent under the next key where a try has failed. */
import { newestOf } from '../../bulk/check/newest.js';
import type { Prepared } from '../../client/preparation.js';
import type { Journal, Recorded } from '../../journal/journal.js';
import type { Kinship, Obstacle } from '../../journal/precedence.js';
import type { KeptRequest } from '../../journal/request.js';
import type { Failure } from '../../runtime/failure.js';
import type { Where } from '../line/where.js';
import { isSameSender } from '../session/address.js';
import type { SessionRun } from '../session/session.js';
import { withJournal } from '../stores/stores-of-run.js';
import { firstTry, passedText, paymentsFor, refuseUnrecorded, verdictNow } from './asking.js';
import { cleared } from './clearing.js';
import { type Creating, creatingOf, refusalBy, tryOf } from './creating.js';
import { afterReuse, laterFailure, olderOf } from './derived-ends.js';
import { insistedOver, requireKnown } from './insisting.js';
import type { NotSentAgain } from './instead.js';
import type { KeyedOptions } from './keyed-options.js';
import type { KeyedCreate } from './keyed.js';
import { type DerivedEnds, sendRecorded } from './sending.js';
import { askOfTakeover } from './takeover.js';
import { askOfTwin } from './twin-question.js';

/** So many tries of one payment are known to have failed before a command gives up. */
const TRIES_MAX = 12;

/** @throws Failure `unsafe` where what is known of its payment stands in its way; else as `sendKeyed` */
export async function sendListed({ run, journal, prepared, options, present }: KeyedCreate): Promise<void> {
  await withCreating(run, journal, prepared, options, async (creating) => {
    const first = await firstTry(creating);
    for (let generation = first; ; generation += 1) {
      if (generation - first === TRIES_MAX) throw laterFailure(creating);
      const current = tryOf(creating, generation);
      const recorded = await clearedNow(current);
      if (recorded === 'next') continue;
      if ('kind' in recorded) {
        const { request } = recorded;
        if (await isSettledInstead({ ...current, request, present }, recorded)) break;
        throw await obstacleTo(current, recorded);
      }
      const sending = { journal, recorded, prepared: current.prepared, present };
      const derived: DerivedEnds = {
        older: (conclusion) => olderOf(conclusion, recorded.request, run, []),
        reused: () => afterReuse(current, generation),
        goesOn: true,
      };
      const explain = async (failure: Failure): Promise<Failure> =>
        (await import('./used-key.js')).explainedReuse(failure, current);
      if ((await sendRecorded({ ...sending, derived, explain }, run)) === 'ended') break;
    }
  });
}

/** What the failure of a create says of its own key, which was used before. */
export function explainedAlone(
  failure: Failure,
  { run, journal, prepared, options }: KeyedCreate,
): Promise<Failure> {
  return withCreating(run, journal, prepared, options, async (creating) =>
    (await import('./used-key.js')).explainedReuse(failure, creating),
  );
}

/** The request that would be sent now. @throws Failure `unsafe` as `sendListed`; nothing is recorded */
export async function keyedDryRun(
  run: SessionRun<Where>,
  prepared: Prepared,
  options: KeyedOptions,
): Promise<Prepared> {
  return withJournal(run, (journal) =>
    withCreating(run, journal, prepared, options, async (creating) => {
      const current = tryOf(creating, await firstTry(creating));
      await refuseUnrecorded(current);
      return current.prepared;
    }),
  );
}

async function withCreating<T>(
  run: SessionRun<Where>,
  journal: Journal,
  prepared: Prepared,
  options: KeyedOptions,
  work: (creating: Creating) => Promise<T>,
): Promise<T> {
  const creating = await creatingOf(run, journal, prepared, options);
  try {
    if (typeof options.since?.said === 'string') await run.session.note(options.since.said);
    await requireKnown(creating);
    return await work(creating);
  } finally {
    await creating.standing.close();
  }
}

/** The same request, which left and may not be sent again. */
type NeverAgain = Extract<Obstacle, { kind: 'too_old' | 'replaced' }>;

async function isSettledInstead(
  not: NotSentAgain & { readonly run: SessionRun<Where> },
  found: NeverAgain,
): Promise<boolean> {
  // Where the clocks disagree nothing changes.
  if (found.kind === 'too_old' && found.age.kind === 'clocks_disagree') return false;
  return (await import('./instead.js')).settledInstead(not, not.run);
}

/**
 * @returns `next` where a try under this key is known to have failed; what may not be sent again, where that is it
 * @throws Failure `unsafe` where something stands in its way
 */
async function clearedNow(creating: Creating): Promise<Recorded | NeverAgain | 'next'> {
  const { leaving, standing } = creating;
  const companyOf = (other: KeptRequest): Kinship => {
    if (isSameSender(other, leaving)) return 'same';
    return standing.kinshipOf(other) === 'other' ? 'other' : 'unknown';
  };
  const found = await cleared(creating, { companyOf, ask: (request) => passed(creating, request) });
  if (found === 'stopped') throw new TypeError('what is listed is refused, and not only stopped');
  if (!('kind' in found) || found.kind === 'too_old' || found.kind === 'replaced') return found;
  if (found.kind !== 'settled') throw await obstacleTo(creating, found);
  await refuseSettled(creating, found.request);
  return 'next';
}

/** Asked once it was recorded. @returns the create that is insisted over @throws Failure `unsafe` where something stands in its way */
async function passed(creating: Creating, { row }: KeptRequest): Promise<KeptRequest | undefined> {
  const { run, reference } = creating;
  await askOfTakeover(creating);
  const verdict = await verdictNow(creating, row);
  if (verdict.kind === 'refuse') throw refusalBy(creating, verdict.newest);
  if (verdict.kind === 'over') return insistedOver(creating, verdict.newest, row);
  if (verdict.passed !== null) await run.session.note(passedText(verdict.passed));
  if (reference === null) await askOfTwin(creating, row);
  return undefined;
}

/** The key that follows from the payment has made an operation: unless that has failed, it is the payment, or what came after it. */
async function refuseSettled(creating: Creating, request: KeptRequest): Promise<void> {
  const payments = await paymentsFor(creating, null);
  const made = payments.find(
    ({ operation }) => operation !== null && operation === request.settled?.operation,
  );
  if (made === undefined) return;
  const newest = creating.rules.newPayment === null ? newestOf(payments) : null;
  throw refusalBy(creating, newest ?? made);
}

async function obstacleTo(creating: Creating, found: Obstacle): Promise<Failure> {
  if (found.kind === 'key_used')
    return (await import('./used-key.js')).usedKeyFailure(found.request, creating);
  return (await import('./request-failures.js')).obstacleFailure(found, creating.run);
}
