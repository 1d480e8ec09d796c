import type { Departure } from '../../storage/journal/journal.js';
import type { OpenRequest } from '../../storage/journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import { isConfirmationNeeded } from '../confirm.js';
import { isPersonThere } from '../../command/line/terminal.js';
import { askServiceTime } from '../../session/session.js';
import { sendRecorded, closeRequest, type CreateEnd } from './send-recorded.js';
import type { UnrecordedCreate, PreparedCreate } from './prepared-create.js';
import type { Ending } from '../../command/ending.js';
import { KEY_REUSED } from '../../contract/attempt.js';

export async function sendCreate(create: UnrecordedCreate): Promise<CreateEnd> {
  const { run, journal, prepared, options, unsent } = create;
  const { session, ports } = run;
  const mayAsk = session.environment === 'live' && !options.asksNobody && isPersonThere(ports, {});
  const maySkipCheck = options.newPayment === null && !mayAsk && unsent.referenceMark === null;
  const request = maySkipCheck ? await recordAndClear(create) : null;
  if (request === null) return (await import('./send-checked.js')).sendChecked(create);
  return sendRecorded({ journal, recorded: { request, settlement: null, isNew: true }, prepared }, run);
}

export async function finishCreate(
  end: CreateEnd,
  printing: Promise<Ending>,
  create: UnrecordedCreate,
): Promise<void> {
  const { journal, run } = create;
  await closeRequest(end, printing, journal, run).catch(async (error: unknown) => {
    const isOwnKeyReused =
      error instanceof Failure && error.facts.code === KEY_REUSED && end.wasSent && end.request.isOwnKey;
    throw isOwnKeyReused ? await (await import('./send-checked.js')).explainOwnKey(error, create) : error;
  });
  const { clock } = run.session;
  if (!clock.isTimeProved()) return;
  await journal.sweep(clock.now()).catch((error: unknown) => {
    if (!(error instanceof Failure) || !isDatabaseCode(error.facts.code)) throw error;
  });
}

export async function checkBeforeQuestion(preparedCreate: PreparedCreate): Promise<PreparedCreate> {
  const { run, options } = preparedCreate;
  if (!isConfirmationNeeded(run)) return preparedCreate;
  await (await import('./send-checked.js')).dryRunCreate(preparedCreate);
  const { since } = options;
  return since === null
    ? preparedCreate
    : { ...preparedCreate, options: { ...options, since: { ...since, note: null } } };
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
  // The service is asked for its time first, because the age of a create is counted in that time.
  await askServiceTime(run);
  return journal.recordAndClear(unsent, bootId, departNow);
}
