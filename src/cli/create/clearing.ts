/** From the journal to the wire: a create is recorded, asked about, and cleared in the one commit after which it may leave. */
import type { Journal, Recorded } from '../../journal/journal.js';
import type { Kinship, Obstacle } from '../../journal/precedence.js';
import type { KeptRequest, Leaving } from '../../journal/request.js';
import type { Where } from '../line/where.js';
import { hear, type SessionRun } from '../session/session.js';
import { requireMaker } from './key-maker.js';
import { ageIn } from './settling.js';

/** How often it is recorded anew where another process came in between. */
const ATTEMPTS_MAX = 5;

export interface ToClear {
  readonly run: SessionRun<Where>;
  readonly journal: Journal;
  readonly leaving: Leaving;
}

export interface ClearingRules {
  readonly companyOf: (request: KeptRequest) => Kinship;
  /** Asked of what was recorded and never left: what is insisted over, or `stop` where it is not to leave. Throws what refuses it. */
  readonly ask: (request: KeptRequest) => Promise<KeptRequest | undefined | 'stop'>;
}

/** @returns what may leave; what stands in its way; `stopped` where the rules say so @throws what `ask` throws; Failure `unsafe` */
export async function cleared(
  { run, journal, leaving }: ToClear,
  { companyOf, ask }: ClearingRules,
): Promise<Recorded | Obstacle | 'stopped'> {
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
    if (over === 'stop') {
      await journal.release(request);
      return 'stopped';
    }
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
