/** Sends a keyed request: durable before it leaves, its key printed, and in the journal until its outcome is known and shown. */
import type { Clearing } from '../../journal/journal.js';
import type { OpenRequest } from '../../journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import { isConfirmed } from '../call/confirmation.js';
import { isPersonThere } from '../line/interaction.js';
import { askServiceTime } from '../session/session.js';
import { withJournal } from '../stores/stores-of-run.js';
import {
  judgeCreate,
  type UnrecordedCreate,
  unrecordedCreateOf,
  type PreparedCreate,
  type Present,
  sendRecorded,
} from './sending.js';

/**
 * Sends it, every attempt with the same key and bytes, and presents what came of it.
 * @throws Failure `local_state` where it could not be made durable, `unsafe` where something in the journal stands in its way: then nothing
 *   was sent. Else what `present` says
 */
export async function sendCreate(preparedCreate: PreparedCreate, present: Present): Promise<void> {
  await withJournal(preparedCreate.run, async (journal) => {
    await judgeCreate(preparedCreate, journal);
    const create = await unrecordedCreateOf(preparedCreate, journal);
    // What asks the list loads only where there may be something on it.
    if (!(await sendUnchecked(create, present)))
      await (await import('./listed.js')).sendChecked(create, present);
    const { clock } = preparedCreate.run.session;
    if (clock.isHeard()) await journal.sweep(clock.now()).catch(unlessUnusable);
  });
}

/**
 * Asks a person about a create only where nothing that is known refuses it. While they think, more may become known: it is looked for again before anything is sent.
 * @returns what is left to do
 * @throws Failure `unsafe` where something stands in its way; what `ask` throws
 */
export async function confirmCreate(
  preparedCreate: PreparedCreate,
  ask: () => Promise<void>,
): Promise<PreparedCreate> {
  const { run, options } = preparedCreate;
  if (!isConfirmed(run)) return preparedCreate;
  await (await import('./listed.js')).dryRunCreate(preparedCreate);
  await ask();
  const { since } = options;
  // That was said by the look.
  return since === null
    ? preparedCreate
    : { ...preparedCreate, options: { ...options, since: { ...since, said: null } } };
}

/** Sends a create that names no payment, and of which nothing is known here. @returns false where it did not leave: it has to be asked about */
async function sendUnchecked(create: UnrecordedCreate, present: Present): Promise<boolean> {
  const { run, journal, prepared, options, leaving } = create;
  const { session, ports } = run;
  const mayAsk = session.environment === 'live' && !options.asksNobody && isPersonThere(ports, {});
  if (options.newPayment !== null || mayAsk || leaving.referenceMark !== null) return false;
  const request = await recordAndClear(create);
  if (request === null) return false;
  const recorded = { request, known: null, isNew: true };
  const explain = async (failure: Failure): Promise<Failure> =>
    (await import('./listed.js')).explainOwnKey(failure, create);
  await sendRecorded({ journal, recorded, prepared, present, derived: null, explain }, run);
  return true;
}

async function recordAndClear({ run, journal, leaving }: UnrecordedCreate): Promise<OpenRequest | null> {
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
  await askServiceTime(run);
  return journal.leave(leaving, bootId, now);
}

/** Housekeeping behind an answer changes nothing of what it means. */
function unlessUnusable(error: unknown): void {
  if (!(error instanceof Failure) || !isDatabaseCode(error.facts.code)) throw error;
}
