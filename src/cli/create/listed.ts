/** Sends a create of which something may be known: checks it after it is recorded, and uses the next key after a failed try. */
import { newestOf } from '../../bulk/check/payments.js';
import type { Prepared } from '../../client/request.js';
import type { Recorded } from '../../journal/journal.js';
import type { CompanyMatch, Obstacle } from '../../journal/precedence.js';
import type { KeptRequest, Leaving } from '../../journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { isPersonThere, readTypedAnswer } from '../line/interaction.js';
import { isSameSender } from '../session/address.js';
import { withJournal } from '../stores/stores-of-run.js';
import { firstTry, passedText, paymentsFor, recentTwin, verdictNow } from './asking.js';
import { type Creating, creatingOf, refusalBy, tryOf } from './creating.js';
import { afterOlder, afterReuse, laterFailure, nextOf, refuseKeptBack } from './derived-ends.js';
import { isFoundBeforeSending, readWholeFeed, settledInstead } from './from-events.js';
import { insistedOver, requireKnown } from './insisting.js';
import {
  judgeCreate,
  type KeyedCreate,
  keyedCreateOf,
  type ToSend,
  type DerivedEnds,
  type Present,
  sendRecorded,
  ageIn,
} from './sending.js';
import { lookUp } from '../call/looking-up.js';
import type { Where } from '../line/where.js';
import { hear, type SessionRun } from '../session/session.js';

/** So many tries of one payment are known to have failed before a command gives up. */
const TRIES_MAX = 12;

/** @throws Failure `unsafe` where what is known of its payment stands in its way; else as `sendKeyed` */
export async function sendListed(create: KeyedCreate, present: Present): Promise<void> {
  const { run, journal } = create;
  await withCreating(create, async (creating) => {
    let next = await firstTry(creating);
    for (let tries = 0; ; tries += 1) {
      if (tries === TRIES_MAX) throw laterFailure(creating);
      const current = tryOf(creating, next);
      const open = next === null || create.options.skipsFeed ? undefined : await openOf(current);
      if (open !== undefined && (await isFoundBeforeSending({ ...current, request: open, present }, run)))
        break;
      if (next !== null) await refuseKeptBack(current);
      const recorded = await clearedNow(current);
      if (recorded === 'next') {
        next = nextOf(current);
        continue;
      }
      if ('kind' in recorded) {
        const { request } = recorded;
        // Where the clocks disagree nothing changes.
        const mayBeSettled = recorded.kind !== 'too_old' || recorded.age.kind !== 'clocks_disagree';
        if (mayBeSettled && (await settledInstead({ ...current, request, present }, run))) break;
        throw await obstacleTo(current, recorded);
      }
      const derived: DerivedEnds = {
        older: (operation, conclusion) => afterOlder(current, recorded.request, operation, conclusion),
        reused: (openSinceMs) => afterReuse(current, openSinceMs),
        goesOn: true,
        refused: () => current.notes.note(current.leaving.idempotencyKey, 'refused', current.leaving.body),
      };
      const explain = async (failure: Failure): Promise<Failure> =>
        (await import('./used-key.js')).explainedReuse(failure, current);
      const { prepared } = current;
      next = await sendRecorded({ journal, recorded, prepared, present, derived, explain }, run);
      if (next === null) break;
    }
  });
}

/** The same create, which left and has no answer. */
async function openOf({ journal, leaving, standing }: Creating): Promise<KeptRequest | undefined> {
  const requests = await journal.open(leaving.idempotencyKey);
  return requests.find(
    (one) =>
      Buffer.compare(one.bodyMark, leaving.bodyMark) === 0 &&
      standing.singles.companyMatchOf(one) !== 'other',
  );
}

/** What the failure of a create says of its own key, which was used before. */
export function explainedAlone(failure: Failure, create: KeyedCreate): Promise<Failure> {
  return withCreating(create, async (creating) =>
    (await import('./used-key.js')).explainedReuse(failure, creating),
  );
}

/** The request that would be sent now. @throws Failure `unsafe` as `sendListed`; nothing is recorded */
export async function keyedDryRun(toSend: ToSend): Promise<Prepared> {
  return withJournal(toSend.run, async (journal) => {
    await judgeCreate(toSend, journal);
    return withCreating(await keyedCreateOf(toSend, journal), async (creating) => {
      const current = tryOf(creating, await firstTry(creating));
      // What left already may be what the events have: it is looked for there before it is repeated.
      const verdict = (await openOf(current)) === undefined ? await verdictNow(current, null) : null;
      if (verdict?.kind === 'refuse') throw refusalBy(current, verdict.newest);
      return current.prepared;
    });
  });
}

async function withCreating<T>(create: KeyedCreate, work: (creating: Creating) => Promise<T>): Promise<T> {
  const { run, options } = create;
  const creating = await creatingOf(create);
  try {
    if (typeof options.since?.said === 'string') await run.session.note(options.since.said);
    return await work(await requireKnown(creating));
  } finally {
    await creating.standing.close();
  }
}

/**
 * @returns `next` where a try under this key is known to have failed; what may not be sent again, where that is it
 * @throws Failure `unsafe` where something stands in its way
 */
async function clearedNow(
  creating: Creating,
): Promise<Recorded | Extract<Obstacle, { kind: 'too_old' | 'replaced' }> | 'next'> {
  const { leaving, standing } = creating;
  const companyOf = (other: KeptRequest): CompanyMatch => {
    if (isSameSender(other, leaving)) return 'same';
    return standing.singles.companyMatchOf(other) === 'other' ? 'other' : 'unknown';
  };
  const found = await cleared(creating, { companyOf, ask: (request) => passed(creating, request) });
  if (!('kind' in found) || found.kind === 'too_old' || found.kind === 'replaced') return found;
  if (found.kind !== 'settled') throw await obstacleTo(creating, found);
  await refuseSettled(creating, found.request);
  return 'next';
}

/** Asked once it was recorded. @returns the create beside which a new payment is made @throws Failure `unsafe` where something stands in its way */
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

async function obstacleTo(
  creating: Creating,
  found: Exclude<Obstacle, { kind: 'settled' }>,
): Promise<Failure> {
  if (found.kind === 'key_used')
    return (await import('./used-key.js')).usedKeyFailure(found.request, creating);
  return (await import('./request-failures.js')).obstacleFailure(found, creating.run);
}

/** Another database server has taken over: the journal may have forgotten that this was sent before, and the events have not. */
const TAKEN_OVER = 'Another database server took over and may have lost creates';

/**
 * What was forgotten is found in the events from now on, and stands in the way as what is known does.
 * @throws Failure `unsafe` (`feed_unreadable`); what keeps a key from reading the events
 */
async function askOfTakeover({ journal, reference, standing, run }: Creating): Promise<void> {
  if ((await journal.takenOverAtMs()) === null) return;
  if (reference !== null) return readWholeFeed(standing, `${TAKEN_OVER}. `, false);
  await run.session.note(
    `${TAKEN_OVER}. Without a reference svc cannot tell whether this one was sent before.`,
  );
}

/**
 * A person at a live terminal is asked who is about to make an equal payment within ten minutes, where no reference says which payment it is.
 * @throws Failure `unsafe` (`not_confirmed`) where the person did not say yes; Stopped
 */
async function askOfTwin(creating: Creating, ownRow: number): Promise<void> {
  const { run, options, leaving } = creating;
  const { ports, session } = run;
  if (session.environment !== 'live' || options.asksNobody || leaving.isOwnKey) return;
  if (!isPersonThere(ports, {})) return;
  const twin = await recentTwin(creating, ownRow);
  if (twin === null) return;
  const { operation, amount = '', currency = '', accountTail, atMs } = twin;
  const account = accountTail === null ? '' : ` to the account ending in ${accountTail}`;
  const when = atMs === null ? '' : ` at ${isoSeconds(atMs)}`;
  await ports.errors.write(
    ports.redact(
      `An equal payment was made${when}: ${amount} ${currency}${account} (operation ${String(operation)}). Pay once more? y/N `,
    ),
  );
  const answer = await readTypedAnswer(ports, 'Nothing was sent.');
  if (/^y(es)?$/i.test(answer?.trim() ?? '')) return;
  throw new Failure('unsafe', 'Not confirmed. Nothing was sent.', { code: 'not_confirmed' });
}

/** How often it is recorded again where another process came in between. */
const ATTEMPTS_MAX = 5;

export type ToClear = Pick<Creating, 'run' | 'journal' | 'leaving'>;

export interface ClearingRules {
  readonly companyOf: (request: KeptRequest) => CompanyMatch;
  /** For a request that was recorded and never left: the create beside which a new payment is made. Throws what refuses it. */
  readonly ask: (request: KeptRequest) => Promise<KeptRequest | undefined>;
}

/** @returns what may leave, or what stands in its way @throws what `ask` throws; Failure `unsafe` */
export async function cleared(
  { run, journal, leaving }: ToClear,
  { companyOf, ask }: ClearingRules,
): Promise<Recorded | Obstacle> {
  const { session, ports } = run;
  const { clock } = session;
  for (let attempt = 1; ; attempt += 1) {
    clock.remember(await journal.newestTime(leaving, clock.boot().bootId));
    // How old something is counts in the service's time, and so will the age of what leaves now.
    if (clock.moment().serviceMs === null || (await journal.knows(leaving.idempotencyKey))) await hear(run);
    const recorded = await journal.record(leaving, { ageOf: ageIn(session), companyOf });
    if ('kind' in recorded) return recorded;
    const { request, known, isNew } = recorded;
    const release = async (error: unknown): Promise<never> => {
      await journal.release(request);
      throw error;
    };
    const over = request.state === 'recorded' ? await ask(request).catch(release) : undefined;
    await requireMaker(recorded, leaving, run).catch(release);
    // The sender whose key made an operation stays noted when another one asks for it again.
    const sender = known === null ? leaving : request;
    const open = await journal.clear(request, { left: clock.moment(), sender, anchor: clock.anchor, over });
    if (open !== null) return { request: open, known, isNew };
    await journal.release(request);
    if (attempt === ATTEMPTS_MAX) return { kind: 'under_way', request };
    ports.signal.throwIfAborted();
  }
}

/**
 * A create whose key is known to have made an operation is answered with that one, if the company is the same: another API key, or another
 * address, has to see it.
 * @throws Failure `unsafe` (`other_company`); by the table of exit codes where the service does not say
 */
async function requireMaker(
  { request, known }: Recorded,
  leaving: Leaving,
  run: SessionRun<Where>,
): Promise<void> {
  if (known === null || isSameSender(request, leaving)) return;
  if ((await lookUp(known.operation, run)) !== null) return;
  throw new Failure(
    'unsafe',
    `This idempotency key made operation ${known.operation} for another company: this API key does not see it. Nothing was sent. Use an API key ` +
      'of that company. For another payment, use another idempotency key.',
    { code: 'other_company', outcome: 'not_sent', idempotencyKey: request.idempotencyKey },
  );
}
