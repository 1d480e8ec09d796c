/** Sends a keyed request: recorded, asked about, durable before anything leaves, and sent under the next key where a try has failed. */
import { newestOf } from '../../bulk/check/newest.js';
import type { Prepared } from '../../client/preparation.js';
import type { Recorded } from '../../journal/journal.js';
import type { Kinship, Obstacle } from '../../journal/precedence.js';
import type { KeptRequest } from '../../journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import type { Where } from '../line/where.js';
import { isSameSender } from '../session/address.js';
import { hear, type SessionRun } from '../session/session.js';
import { withJournal } from '../stores/books.js';
import { firstTry, passedText, paymentsFor, refuseUnrecorded, verdictNow } from './asking.js';
import { type Creating, creatingOf, refusalBy, tryOf } from './creating.js';
import { afterReuse, laterFailure, olderOf } from './derived-ends.js';
import { insistedOver, requireKnown } from './insisting.js';
import type { NotSentAgain } from './instead.js';
import type { KeyedOptions } from './keyed-options.js';
import { requireMaker } from './refusals.js';
import { type DerivedEnds, type Present, sendRecorded } from './sending.js';
import { ageIn } from './settling.js';
import { askOfTakeover } from './takeover.js';
import { askOfTwin } from './twin-question.js';

/** So many tries of one payment are known to have failed before a command gives up. */
const TRIES_MAX = 12;

/**
 * Sends it, every attempt with the same key and bytes, and presents what came of it.
 * @throws Failure `local_state` where it could not be made durable, `unsafe` where something in the book stands in its way: then nothing
 *   was sent. Else what `present` says
 */
export async function sendKeyed(
  run: SessionRun<Where>,
  prepared: Prepared,
  options: KeyedOptions,
  present: Present,
): Promise<void> {
  await withCreating(run, prepared, options, async (creating) => {
    const { journal } = creating;
    const first = await firstTry(creating);
    for (let generation = first; ; generation += 1) {
      if (generation - first === TRIES_MAX) throw laterFailure(creating);
      const current = tryOf(creating, generation);
      const recorded = await cleared(current);
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
    const { clock } = run.session;
    if (clock.isHeard()) await journal.sweep(clock.now()).catch(unlessUnusable);
  });
}

/** The request that would be sent now. @throws Failure `unsafe` as `sendKeyed`; nothing is recorded */
export async function keyedDryRun(
  run: SessionRun<Where>,
  prepared: Prepared,
  options: KeyedOptions,
): Promise<Prepared> {
  return withCreating(run, prepared, options, async (creating) => {
    const current = tryOf(creating, await firstTry(creating));
    await refuseUnrecorded(current);
    return current.prepared;
  });
}

async function withCreating<T>(
  run: SessionRun<Where>,
  prepared: Prepared,
  options: KeyedOptions,
  work: (creating: Creating) => Promise<T>,
): Promise<T> {
  return withJournal(run, async (journal) => {
    const creating = await creatingOf(run, journal, prepared, options);
    try {
      if (typeof options.since?.said === 'string') await run.session.note(options.since.said);
      await requireKnown(creating);
      return await work(creating);
    } finally {
      await creating.standing.close();
    }
  });
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

/** How often it is recorded anew where another process came in between. */
const ATTEMPTS_MAX = 5;

/**
 * Recorded, asked about, and cleared: what this returns may leave.
 * @returns `next` where a try under this key is known to have failed; what may not be sent again, where that is it
 * @throws Failure `unsafe` where something stands in its way
 */
async function cleared(creating: Creating): Promise<Recorded | NeverAgain | 'next'> {
  const { run, journal, leaving, standing } = creating;
  const { session, ports } = run;
  const { clock } = session;
  const companyOf = (other: KeptRequest): Kinship => {
    if (isSameSender(other, leaving)) return 'same';
    return standing.kinshipOf(other) === 'other' ? 'other' : 'unknown';
  };
  for (let attempt = 1; ; attempt += 1) {
    clock.remember(await journal.newestTime(leaving, clock.boot().bootId));
    // How old something is counts in the service's time, and so will the age of what leaves now.
    if (clock.moment().serviceMs === null || (await journal.knows(leaving.idempotencyKey))) await hear(run);
    const recorded = await journal.record(leaving, { ageOf: ageIn(session), companyOf });
    if ('kind' in recorded) {
      if (recorded.kind === 'too_old' || recorded.kind === 'replaced') return recorded;
      if (recorded.kind !== 'settled') throw await obstacleTo(creating, recorded);
      await refuseSettled(creating, recorded.request);
      return 'next';
    }
    const { request, known, isNew } = recorded;
    const release = async (error: unknown): Promise<never> => {
      await journal.release(request);
      throw error;
    };
    const over = request.state === 'recorded' ? await passed(creating, request).catch(release) : undefined;
    await requireMaker(recorded, leaving, run).catch(release);
    // Whose key made an operation stays noted, whoever asks for it again.
    const sender = known === null ? leaving : request;
    const open = await journal.clear(request, { left: clock.moment(), sender, anchor: clock.anchor, over });
    if (open !== null) return { request: open, known, isNew };
    await journal.release(request);
    if (attempt === ATTEMPTS_MAX) throw await obstacleTo(creating, { kind: 'under_way', request });
    ports.signal.throwIfAborted();
  }
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

/** Housekeeping behind an answer changes nothing of what it means. */
function unlessUnusable(error: unknown): void {
  if (!(error instanceof Failure) || !isDatabaseCode(error.facts.code)) throw error;
}
