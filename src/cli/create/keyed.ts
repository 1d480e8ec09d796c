/** Sends a keyed request: durable before anything leaves, its key said, and in the book until its outcome is known and was shown. */
import type { Conversation } from '../../client/client.js';
import type { Prepared } from '../../client/preparation.js';
import type { Journal, Recorded } from '../../journal/journal.js';
import type { Obstacle } from '../../journal/precedence.js';
import type { Leaving } from '../../journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import { durableEnding, type Ending } from '../call/ending.js';
import type { Where } from '../line/where.js';
import { isSameSender, maskOfKey, senderOf } from '../session/address.js';
import { hear, type SessionRun } from '../session/session.js';
import { withJournal } from '../stores/books.js';
import { refuseForgotten, refuseReference, requireMaker } from './refusals.js';
import { ageIn, firstLeaving, interrupted, noteOlder, settle } from './settling.js';

/** Shows what came of a request, and says how the command ends. */
type Present = (conversation: Conversation) => Promise<Ending>;

/** What the command line says of a create beside its body. */
interface KeyedOptions {
  /** The caller named the key. */
  readonly isOwnKey: boolean;
  /** The caller insists that this is another payment than what is in the book. */
  readonly isNewPayment: boolean;
}

/** From the flags of a command line. */
export function keyedOptions(flags: {
  readonly 'idempotency-key'?: string | undefined;
  readonly 'new-payment'?: boolean | undefined;
}): KeyedOptions {
  return { isOwnKey: flags['idempotency-key'] !== undefined, isNewPayment: flags['new-payment'] === true };
}

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
  const { session } = run;
  await withJournal(run, async (journal) => {
    const leaving = await leavingOf(run, journal, prepared, options.isOwnKey);
    const recorded = await cleared({ journal, leaving, options }, run);
    await sendRecorded({ journal, recorded, prepared, present }, run);
    if (session.clock.isHeard()) await journal.sweep(session.clock.now()).catch(unlessUnusable);
  });
}

interface Creating {
  readonly journal: Journal;
  readonly leaving: Leaving;
  readonly options: KeyedOptions;
}

/** How often it is recorded anew where another process came in between. */
const ATTEMPTS_MAX = 5;

/** Recorded, asked about, and cleared: what this returns may leave. @throws Failure `unsafe` where something stands in its way */
async function cleared({ journal, leaving, options }: Creating, run: SessionRun<Where>): Promise<Recorded> {
  const { session, ports } = run;
  const { isNewPayment } = options;
  for (let attempt = 1; ; attempt += 1) {
    const { clock } = session;
    clock.remember(await journal.newestTime(leaving, clock.boot().bootId));
    // How old something is counts in the service's time, and so will the age of what leaves now.
    if (clock.moment().serviceMs === null || (await journal.knows(leaving.idempotencyKey))) await hear(run);
    const recorded = await journal.record(leaving, {
      ageOf: ageIn(session),
      companyOf: (other) => (isSameSender(other, leaving) ? 'same' : 'unknown'),
      passesOpen: isNewPayment,
    });
    if ('kind' in recorded) throw await obstacle(recorded, run);
    const { request, known, isNew } = recorded;
    const release = async (error: unknown): Promise<never> => {
      await journal.release(request);
      throw error;
    };
    if (isNew && !isNewPayment) {
      await refuseReference(request, run).catch(release);
      await refuseForgotten(request, journal, run).catch(release);
    }
    await requireMaker(recorded, leaving, run).catch(release);
    // Whose key made an operation stays noted, whoever asks for it again.
    const sender = known === null ? leaving : request;
    const open = await journal.clear(request, { left: clock.moment(), sender, anchor: clock.anchor });
    if (open !== null) return { request: open, known, isNew };
    await journal.release(request);
    if (attempt === ATTEMPTS_MAX) throw await obstacle({ kind: 'under_way', request }, run);
    ports.signal.throwIfAborted();
  }
}

async function obstacle(found: Obstacle, run: SessionRun<Where>): Promise<Failure> {
  return (await import('./request-failures.js')).obstacleFailure(found, run);
}

/** Housekeeping behind an answer changes nothing of what it means. */
function unlessUnusable(error: unknown): void {
  if (!(error instanceof Failure) || !isDatabaseCode(error.facts.code)) throw error;
}

interface KeyedSending {
  readonly journal: Journal;
  readonly recorded: Recorded;
  readonly prepared: Prepared;
  readonly present: Present;
}

/** Sends what is durable, and settles it: only what was answered and handed over is settled. */
export async function sendRecorded(
  { journal, recorded, prepared, present }: KeyedSending,
  run: SessionRun<Where>,
): Promise<void> {
  const { request, known, isNew } = recorded;
  const { idempotencyKey: key, isOwnKey } = request;
  const { session, ports } = run;
  const guard = (error: unknown, conversation: Conversation | null): unknown =>
    interrupted(error, conversation, key, run);
  await ports.errors.write(`Idempotency-Key: ${key}\n`);
  // What is known to have been made by this key is no surprise, whoever named the key.
  const create = {
    isOwnKey: isOwnKey || known !== null,
    firstLeftMs: isNew || known !== null ? null : request.firstLeftMs,
  };
  const learnt = firstLeaving(session, recorded);
  const conversation = await session.client
    .send(prepared, { signal: ports.signal, create, left: request.left ?? undefined })
    .catch((error: unknown) => {
      throw guard(error, null);
    });
  await noteOlder(conversation, known, session);
  const { error, isShown } = await present(conversation)
    .then((ending) => durableEnding(ending, conversation, ports))
    .catch((reason: unknown) => {
      throw guard(reason, conversation);
    });
  try {
    if (isShown) await settle(journal, request, conversation, learnt());
    else await journal.keep(request, learnt());
  } catch (reason) {
    // The answer counts, not the note about it: a request that stays open by mistake is repeated without harm.
    if (!(reason instanceof Failure) || !isDatabaseCode(reason.facts.code)) throw reason;
    await session.note(`${reason.message} This request stays among "svc requests list".`);
  }
  if (!isShown) throw guard(error, conversation);
  if (error !== null) throw error;
}

/** @param isOwnKey the caller named the key @throws TypeError for a request that is no create */
async function leavingOf(
  { session, ports }: SessionRun<Where>,
  { keySalt }: Journal,
  { endpointId, idempotencyKey, request }: Prepared,
  isOwnKey: boolean,
): Promise<Leaving> {
  if (endpointId === null || idempotencyKey === null || request.body === null) {
    throw new TypeError('only a create is kept in the journal');
  }
  const { body, url } = request;
  return {
    ...{ idempotencyKey, isOwnKey, endpoint: endpointId, body, series: null, generation: null },
    ...(await senderOf(session, ports, keySalt)),
    path: url.slice(session.serviceUrl.length),
    keyMask: maskOfKey(session.key),
  };
}
