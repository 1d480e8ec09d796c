/** Sends a keyed request: durable before anything leaves, its key said, and in the book until its outcome is known and was shown. */
import type { Prepared } from '../../client/preparation.js';
import type { Journal } from '../../journal/journal.js';
import { isSamePayment } from '../../journal/precedence.js';
import type { KeptRequest } from '../../journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import { isConfirmed } from '../call/confirmation.js';
import { isPersonThere } from '../line/interaction.js';
import type { Where } from '../line/where.js';
import { isSameSender } from '../session/address.js';
import type { SessionRun } from '../session/session.js';
import { storesOf, withJournal } from '../stores/stores-of-run.js';
import { cleared } from './clearing.js';
import type { KeyedOptions } from './keyed-options.js';
import { type LeavingCreate, leavingOf } from './leaving.js';
import { type Present, sendRecorded } from './sending.js';

/** A create at work. */
export interface KeyedCreate {
  readonly run: SessionRun<Where>;
  readonly journal: Journal;
  readonly prepared: Prepared;
  readonly options: KeyedOptions;
  readonly present: Present;
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
  await withJournal(run, async (journal) => {
    const create = { run, journal, prepared, options, present };
    // What asks the list loads only where there may be something on it.
    if (!(await isSentAlone(create))) await (await import('./listed.js')).sendListed(create);
    const { clock } = run.session;
    if (clock.isHeard()) await journal.sweep(clock.now()).catch(unlessUnusable);
  });
}

/**
 * Asks a person about a create only where nothing that is known refuses it. While they think, more may become known: whoever sends looks again.
 * @returns the options of what is left to do
 * @throws Failure `unsafe` where something stands in its way; what `ask` throws
 */
export async function lookThenAsk(
  run: SessionRun,
  prepared: Prepared,
  options: KeyedOptions,
  ask: () => Promise<void>,
): Promise<KeyedOptions> {
  if (!isConfirmed(run)) return options;
  await (await import('./listed.js')).keyedDryRun(run, prepared, options);
  await ask();
  const { since } = options;
  // That was said by the look.
  return since === null ? options : { ...options, since: { ...since, said: null } };
}

/** Sends a create that names no payment, and of which nothing is known here. @returns false where it did not leave: it has to be asked about */
async function isSentAlone(create: KeyedCreate): Promise<boolean> {
  const { run, journal, prepared, options, present } = create;
  const { session, ports } = run;
  const mayAsk = session.environment === 'live' && !options.asksNobody && isPersonThere(ports, {});
  if (options.newPayment !== null || mayAsk || storesOf(run).where.isShared) return false;
  const alone = await leavingOf(run, journal, prepared, options.keyOf === 'caller');
  const { leaving, about } = alone;
  if (about.referenceMark !== null) return false;
  const recorded = await cleared(
    { run, journal, leaving },
    {
      companyOf: (other) => (isSameSender(other, leaving) ? 'same' : 'unknown'),
      ask: async ({ row }) => ((await hasOpenTwin(alone, row, journal)) ? 'stop' : undefined),
    },
  );
  if (recorded === 'stopped' || 'kind' in recorded) return false;
  const explain = async (failure: Failure): Promise<Failure> =>
    (await import('./listed.js')).explainedAlone(failure, create);
  await sendRecorded({ journal, recorded, prepared, present, derived: null, explain }, run);
  return true;
}

/** True where a person would take another create for the same payment, and its outcome is not known. */
async function hasOpenTwin(
  { leaving, about }: LeavingCreate,
  ownRow: number,
  journal: Journal,
): Promise<boolean> {
  const twins = await journal.ofTwins({ ...about, environment: leaving.environment });
  const isRival = (twin: KeptRequest): boolean =>
    twin.row !== ownRow && twin.state !== 'settled' && isSamePayment(leaving, about, twin);
  return twins.some(isRival);
}

/** Housekeeping behind an answer changes nothing of what it means. */
function unlessUnusable(error: unknown): void {
  if (!(error instanceof Failure) || !isDatabaseCode(error.facts.code)) throw error;
}
