/** From the journal to the wire: a create is recorded, asked about, and cleared in the one commit after which it may leave. */
import type { Journal, Recorded } from '../../journal/journal.js';
import type { Kinship, Obstacle } from '../../journal/precedence.js';
import type { KeptRequest, Leaving } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { lookUp } from '../call/looking-up.js';
import type { Where } from '../line/where.js';
import { isSameSender } from '../session/address.js';
import { hear, type SessionRun } from '../session/session.js';
import { ageIn } from './sending.js';

/** How often it is recorded anew where another process came in between. */
const ATTEMPTS_MAX = 5;

export interface ToClear {
  readonly run: SessionRun<Where>;
  readonly journal: Journal;
  readonly leaving: Leaving;
}

export interface ClearingRules {
  readonly companyOf: (request: KeptRequest) => Kinship;
  /** Asked of what was recorded and never left: what is insisted over. Throws what refuses it. */
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
    // Whose key made an operation stays noted, whoever asks for it again.
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
