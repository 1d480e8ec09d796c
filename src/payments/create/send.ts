/** Sends a create. The journal keeps it on disk from before the sending until its outcome is known and printed. */
import type { Departure } from '../../storage/journal/journal.js';
import type { OpenRequest } from '../../storage/journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import { isConfirmationNeeded } from '../confirm.js';
import { isPersonThere } from '../../command/line/terminal.js';
import { askServiceTime } from '../../session/session.js';
import { judgeCreate, sendRecorded } from './send-recorded.js';
import { type UnrecordedCreate, unrecordedCreateOf, type PreparedCreate } from './prepared-create.js';
import type { PresentResult } from './settle.js';

/**
 * Every attempt has the same key and bytes.
 * @throws Failure `local_state` if the journal cannot be written, `unsafe` if a known payment refuses the create: nothing was sent.
 *   Also the error of `present`
 */
export async function sendCreate(preparedCreate: PreparedCreate, present: PresentResult): Promise<void> {
  await using journal = await (await preparedCreate.run.app.stores()).openJournal();
  await judgeCreate(preparedCreate, journal);
  const create = await unrecordedCreateOf(preparedCreate, journal);
  // The code that checks for known payments loads only if it is needed.
  if (!(await sendUnchecked(create, present)))
    await (await import('./send-checked.js')).sendChecked(create, present);
  const { clock } = preparedCreate.run.session;
  if (!clock.isTimeProved()) return;
  // A sweep that fails after an answer does not change the result of the command.
  await journal.sweep(clock.now()).catch((error: unknown) => {
    if (!(error instanceof Failure) || !isDatabaseCode(error.facts.code)) throw error;
  });
}

/**
 * Refuses first, asks second: nobody confirms a payment that cannot be sent. `sendCreate` checks again, because a minute may pass.
 * @throws Failure `unsafe` if a known payment refuses the create; what `ask` throws
 */
export async function confirmCreate(
  preparedCreate: PreparedCreate,
  ask: () => Promise<void>,
): Promise<PreparedCreate> {
  const { run, options } = preparedCreate;
  if (!isConfirmationNeeded(run)) return preparedCreate;
  await (await import('./send-checked.js')).dryRunCreate(preparedCreate);
  await ask();
  const { since } = options;
  // The dry run has written the note about `--new-since` already.
  return since === null
    ? preparedCreate
    : { ...preparedCreate, options: { ...options, since: { ...since, note: null } } };
}

/** Sends a create without a reference, if the journal has no similar create. @returns false if nothing was sent */
async function sendUnchecked(create: UnrecordedCreate, present: PresentResult): Promise<boolean> {
  const { run, journal, prepared, options, unsent } = create;
  const { session, ports } = run;
  const mayAsk = session.environment === 'live' && !options.asksNobody && isPersonThere(ports, {});
  if (options.newPayment !== null || mayAsk || unsent.referenceMark !== null) return false;
  const request = await recordAndClear(create);
  if (request === null) return false;
  const recorded = { request, known: null, isNew: true };
  const explain = async (failure: Failure): Promise<Failure> =>
    (await import('./send-checked.js')).explainOwnKey(failure, create);
  await sendRecorded({ journal, recorded, prepared, present, handlers: null, explain }, run);
  return true;
}

async function recordAndClear({ run, journal, unsent }: UnrecordedCreate): Promise<OpenRequest | null> {
  const { clock } = run.session;
  const { bootId } = clock.boot();
  const departNow = (): Departure => ({ left: clock.moment(), sender: unsent, anchor: clock.anchor });
  const departures: Departure[] = [];
  const request = await journal.recordAndClear(unsent, bootId, (newest) => {
    clock.remember(newest);
    departures.push(departNow());
    return departures.find(({ left }) => left.serviceMs !== null) ?? null;
  });
  if (request !== null || departures.length === 0) return request;
  // The age of a create is counted in the service's time, so this create has to record that time.
  await askServiceTime(run);
  return journal.recordAndClear(unsent, bootId, departNow);
}
