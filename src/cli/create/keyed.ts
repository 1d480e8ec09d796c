/** Sends a keyed request: durable before it leaves, its key printed, and in the journal until its outcome is known and shown. */
import type { Clearing } from '../../journal/journal.js';
import type { OpenRequest } from '../../journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import { isConfirmed } from '../call/confirmation.js';
import { isPersonThere } from '../line/interaction.js';
import { hear } from '../session/session.js';
import { withJournal } from '../stores/stores-of-run.js';
import {
  judgeCreate,
  type KeyedCreate,
  keyedCreateOf,
  type ToSend,
  type Present,
  sendRecorded,
} from './sending.js';

/**
 * Sends it, every attempt with the same key and bytes, and presents what came of it.
 * @throws Failure `local_state` where it could not be made durable, `unsafe` where something in the journal stands in its way: then nothing
 *   was sent. Else what `present` says
 */
export async function sendKeyed(toSend: ToSend, present: Present): Promise<void> {
  await withJournal(toSend.run, async (journal) => {
    await judgeCreate(toSend, journal);
    const create = await keyedCreateOf(toSend, journal);
    // What asks the list loads only where there may be something on it.
    if (!(await isSentAlone(create, present)))
      await (await import('./listed.js')).sendListed(create, present);
    const { clock } = toSend.run.session;
    if (clock.isHeard()) await journal.sweep(clock.now()).catch(unlessUnusable);
  });
}

/**
 * Asks a person about a create only where nothing that is known refuses it. While they think, more may become known: it is looked for again before anything is sent.
 * @returns what is left to do
 * @throws Failure `unsafe` where something stands in its way; what `ask` throws
 */
export async function lookThenAsk(toSend: ToSend, ask: () => Promise<void>): Promise<ToSend> {
  const { run, options } = toSend;
  if (!isConfirmed(run)) return toSend;
  await (await import('./listed.js')).keyedDryRun(toSend);
  await ask();
  const { since } = options;
  // That was said by the look.
  return since === null ? toSend : { ...toSend, options: { ...options, since: { ...since, said: null } } };
}

/** Sends a create that names no payment, and of which nothing is known here. @returns false where it did not leave: it has to be asked about */
async function isSentAlone(create: KeyedCreate, present: Present): Promise<boolean> {
  const { run, journal, prepared, options, leaving } = create;
  const { session, ports } = run;
  const mayAsk = session.environment === 'live' && !options.asksNobody && isPersonThere(ports, {});
  if (options.newPayment !== null || mayAsk || leaving.referenceMark !== null) return false;
  const request = await leftAlone(create);
  if (request === null) return false;
  const recorded = { request, known: null, isNew: true };
  const explain = async (failure: Failure): Promise<Failure> =>
    (await import('./listed.js')).explainedAlone(failure, create);
  await sendRecorded({ journal, recorded, prepared, present, derived: null, explain }, run);
  return true;
}

async function leftAlone({ run, journal, leaving }: KeyedCreate): Promise<OpenRequest | null> {
  const { clock } = run.session;
  const { bootId } = clock.boot();
  const now = (): Clearing => ({ left: clock.moment(), sender: leaving, anchor: clock.anchor });
  const looked: Clearing[] = [];
  const request = await journal.leave(leaving, bootId, (newest) => {
    clock.remember(newest);
    looked.push(now());
    return looked.find(({ left }) => left.serviceMs !== null) ?? null;
  });
  if (request !== null || looked.length === 0) return request;
  // How old something is counts in the service's time, and so will the age of what leaves now.
  await hear(run);
  return journal.leave(leaving, bootId, now);
}

/** Housekeeping behind an answer changes nothing of what it means. */
function unlessUnusable(error: unknown): void {
  if (!(error instanceof Failure) || !isDatabaseCode(error.facts.code)) throw error;
}
