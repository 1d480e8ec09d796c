import { moneyText } from '../../contract/money.js';
import { newestOf } from '../known/payments.js';
import type { PreparedRequest } from '../../client/request.js';
import type { RecordedRequest } from '../../storage/journal/journal.js';
import type { CompanyMatch, Obstacle } from '../../storage/journal/precedence.js';
import type { JournalRequest, UnsentRequest } from '../../storage/journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { commandLine } from '../../runtime/shell.js';
import { isPersonThere, typesYes } from '../../command/line/terminal.js';
import { isSameSender } from '../../session/address.js';
import {
  chooseTry,
  sandboxPassNote,
  paymentsFor,
  findRecentTwin,
  decideNow,
  findPredecessor,
  requireNamedPayment,
} from './check.js';
import { obstacleFailure } from '../refusals.js';
import { type PlannedCreate, plannedCreateOf, refusalOfCreate, withKeyOfTry } from './planned-create.js';
import {
  checkOlderPayment,
  checkReusedKey,
  explainReuse,
  refuseUsedKey,
  tryAfter,
  usedKeyFailure,
} from './reused-key.js';
import { endIfInFeed, readWholeFeed, endWithoutSending } from '../known/settle-from-feed.js';
import {
  admitCreate,
  type SendEnd,
  sendRecorded,
  ageReader,
  type CreateEnd,
  settleRequest,
  tryToNote,
} from './send-recorded.js';
import { openTogether } from '../../runtime/disposal.js';
import type { PaymentTry } from '../known/key.js';
import { lookUp } from '../../command/read.js';
import type { Where } from '../../session/place-flags.js';
import { askServiceTime } from '../../session/session.js';
import type { SessionRun } from '../../command/command.js';
import type { UnrecordedCreate, PreparedCreate } from './prepared-create.js';

const TRIES_MAX = 12;

export async function sendChecked(create: UnrecordedCreate): Promise<CreateEnd> {
  const { run, journal } = create;
  await using plannedCreate = await openPlannedCreate(create);
  let nextTry = await chooseTry(plannedCreate);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const keyedCreate = withKeyOfTry(plannedCreate, nextTry);
    const openRequest =
      nextTry === null || create.options.skipsFeed ? undefined : await openRequestOf(keyedCreate);
    const foundEnd = openRequest && (await endIfInFeed({ ...keyedCreate, request: openRequest }, run));
    if (foundEnd) return foundEnd;
    if (nextTry !== null) await refuseUsedKey(keyedCreate);
    const clearance = await clearForTry(keyedCreate);
    if (clearance === 'next') {
      nextTry = tryAfter(keyedCreate);
      continue;
    }
    if ('kind' in clearance) {
      const mayBeSettled = clearance.kind !== 'too_old' || clearance.age.kind !== 'clocks_disagree';
      const settledEnd =
        mayBeSettled && (await endWithoutSending({ ...keyedCreate, request: clearance.request }, run));
      if (settledEnd) return settledEnd;
      throw await failureOfObstacle(keyedCreate, clearance);
    }
    const end = await sendRecorded({ journal, recorded: clearance, prepared: keyedCreate.prepared }, run);
    if (end.kind === 'answered') {
      const isRefused =
        end.request.generation !== null &&
        clearance.settlement === null &&
        end.result.conclusion.exitCode === 6;
      if (isRefused)
        await tryToNote(run.session, () =>
          keyedCreate.notes.note(keyedCreate.unsent.idempotencyKey, 'refused', keyedCreate.unsent.body),
        );
      return end;
    }
    nextTry = await (end.kind === 'older_payment'
      ? tryAfterOlder(keyedCreate, end)
      : tryAfterReuse(keyedCreate, end, clearance.isNew));
  }
  const text =
    'The service already has a payment of this reference with other data. The events do not show it yet, so it may be pending. Nothing ' +
    'was sent. Run this again later.';
  throw new Failure('unsafe', text, {
    ...{ code: 'reference_pending', outcome: 'not_sent', retryable: true },
    idempotencyKey: plannedCreate.unsent.idempotencyKey,
    nextCommand: commandLine(['svc', ...run.typed]),
  });
}

async function tryAfterOlder(
  create: PlannedCreate,
  { result: { conclusion }, request, operation, learntTimes }: Extract<SendEnd, { kind: 'older_payment' }>,
): Promise<PaymentTry> {
  const { journal, run } = create;
  await tryToNote(run.session, () => settleRequest(journal, request, conclusion, learntTimes()));
  return checkOlderPayment(create, request, operation, conclusion);
}

/** Refutes a new request at once, because its key belongs to another request. */
async function tryAfterReuse(
  create: PlannedCreate,
  { request, learntTimes }: CreateEnd,
  isNew: boolean,
): Promise<PaymentTry> {
  const { journal, run } = create;
  if (isNew) {
    await journal.refute(request);
    return checkReusedKey(create, null);
  }
  const nextTry = await checkReusedKey(create, request.firstLeftMs).catch(async (error: unknown) => {
    await tryToNote(run.session, () => journal.keepOpen(request, learntTimes()));
    throw error;
  });
  await journal.refute(request);
  return nextTry;
}

async function openRequestOf(create: PlannedCreate): Promise<JournalRequest | undefined> {
  const { journal, unsent, knownPayments } = create;
  const requests = await journal.open(unsent.idempotencyKey);
  return requests.find(
    (one) =>
      Buffer.compare(one.bodyMark, unsent.bodyMark) === 0 &&
      knownPayments.singles.companyMatchOf(one) !== 'other',
  );
}

export async function explainOwnKey(failure: Failure, create: UnrecordedCreate): Promise<Failure> {
  await using plannedCreate = await plannedCreateOf(create);
  return await explainReuse(failure, plannedCreate);
}

export async function dryRunCreate(preparedCreate: PreparedCreate): Promise<PreparedRequest> {
  await using journal = await preparedCreate.run.app.openJournal();
  await using plannedCreate = await openPlannedCreate(await admitCreate(preparedCreate, journal));
  const keyedCreate = withKeyOfTry(plannedCreate, await chooseTry(plannedCreate));
  // While a request with this key is open, nothing is decided, because a known payment may be its result.
  const verdict =
    (await openRequestOf(keyedCreate)) === undefined ? await decideNow(keyedCreate, null) : null;
  if (verdict?.kind === 'refuse') throw refusalOfCreate(keyedCreate, verdict.payment);
  return keyedCreate.prepared;
}

async function openPlannedCreate(create: UnrecordedCreate): Promise<PlannedCreate & AsyncDisposable> {
  const { run, options } = create;
  return openTogether(async (use) => {
    const plannedCreate = use(await plannedCreateOf(create));
    if (typeof options.since?.note === 'string') await run.session.note(options.since.note);
    return { ...(await requireNamedPayment(plannedCreate)) };
  });
}

const RECORDINGS_MAX = 5;

export async function clearForTry(
  create: PlannedCreate,
): Promise<RecordedRequest | Extract<Obstacle, { kind: 'too_old' | 'replaced' }> | 'next'> {
  const { run, journal, unsent, knownPayments } = create;
  const { session, ports } = run;
  const { clock } = session;
  const companyOf = (request: JournalRequest): CompanyMatch => {
    if (isSameSender(request, unsent)) return 'same';
    return knownPayments.singles.companyMatchOf(request) === 'other' ? 'other' : 'unknown';
  };
  for (let attempt = 1; ; attempt += 1) {
    clock.remember(await journal.newestTime(unsent, clock.boot().bootId));
    if (clock.moment().serviceMs === null || (await journal.hasLeft(unsent.idempotencyKey)))
      await askServiceTime(run);
    const recorded = await journal.record(unsent, { ageOf: ageReader(session), companyOf });
    if ('kind' in recorded) {
      if (recorded.kind === 'too_old' || recorded.kind === 'replaced') return recorded;
      if (recorded.kind !== 'settled') throw await failureOfObstacle(create, recorded);
      await refuseSettled(create, recorded.request);
      return 'next';
    }
    const { request, settlement, isNew } = recorded;
    const release = async (error: unknown): Promise<never> => {
      await journal.release(request);
      throw error;
    };
    const predecessor =
      request.state === 'recorded' ? await checkRecorded(create, request).catch(release) : undefined;
    await requireSameCompany(recorded, unsent, run).catch(release);
    const sender = settlement === null ? unsent : request;
    const departure = { left: clock.moment(), sender, anchor: clock.anchor, predecessor };
    const openRequest = await journal.clear(request, departure);
    if (openRequest !== null) return { request: openRequest, settlement, isNew };
    await journal.release(request);
    if (attempt === RECORDINGS_MAX) throw await failureOfObstacle(create, { kind: 'under_way', request });
    ports.signal.throwIfAborted();
  }
}

async function checkRecorded(create: PlannedCreate, { row }: JournalRequest) {
  const { run, reference } = create;
  await checkAfterTakeover(create);
  const verdict = await decideNow(create, row);
  if (verdict.kind === 'refuse') throw refusalOfCreate(create, verdict.payment);
  if (verdict.kind === 'replace') return findPredecessor(create, verdict.payment, row);
  if (verdict.obstacle !== null) await run.session.note(sandboxPassNote(verdict.obstacle));
  if (reference === null) await confirmTwin(create, row);
  return undefined;
}

async function refuseSettled(create: PlannedCreate, request: JournalRequest): Promise<void> {
  const payments = await paymentsFor(create, null);
  const payment = payments.find(
    ({ operation }) => operation !== null && operation === request.settled?.operation,
  );
  if (payment === undefined) return;
  const newest = create.rules.newPayment === null ? newestOf(payments) : null;
  throw refusalOfCreate(create, newest ?? payment);
}

async function failureOfObstacle(
  create: PlannedCreate,
  obstacle: Exclude<Obstacle, { kind: 'settled' }>,
): Promise<Failure> {
  if (obstacle.kind === 'key_used') return usedKeyFailure(obstacle.request, create);
  return obstacleFailure(obstacle, create.run);
}

const FAILOVER_NOTE = 'Another database server took over and may have lost creates';

async function checkAfterTakeover({ journal, reference, knownPayments, run }: PlannedCreate): Promise<void> {
  if ((await journal.takenOverAtMs()) === null) return;
  if (reference !== null) return readWholeFeed(knownPayments, `${FAILOVER_NOTE}. `, false);
  await run.session.note(
    `${FAILOVER_NOTE}. Without a reference svc cannot tell whether this one was sent before.`,
  );
}

async function confirmTwin(create: PlannedCreate, ownRow: number): Promise<void> {
  const { run, options, unsent } = create;
  const { ports, session } = run;
  if (session.environment !== 'live' || options.asksNobody || unsent.isOwnKey) return;
  if (!isPersonThere(ports, {})) return;
  const twin = await findRecentTwin(create, ownRow);
  if (twin === null) return;
  const { operation, accountTail, atMs } = twin;
  const accountText = accountTail === null ? '' : ` to the account ending in ${accountTail}`;
  const timeText = atMs === null ? '' : ` at ${isoSeconds(atMs)}`;
  const paymentText = `${moneyText(twin)}${accountText} (operation ${String(operation)})`;
  const question = `An equal payment was made${timeText}: ${paymentText}. Pay once more? y/N `;
  await ports.errors.write(ports.redact(question));
  if (await typesYes(ports, 'Nothing was sent.', true)) return;
  throw new Failure('unsafe', 'Not confirmed. Nothing was sent.', { code: 'not_confirmed' });
}

async function requireSameCompany(
  { request, settlement }: RecordedRequest,
  unsent: UnsentRequest,
  run: SessionRun<Where>,
): Promise<void> {
  if (settlement === null || isSameSender(request, unsent)) return;
  if ((await lookUp(settlement.operation, run)) !== null) return;
  throw new Failure(
    'unsafe',
    `This idempotency key made operation ${settlement.operation} for another company: this API key does not see it. Nothing was sent. Use an API key ` +
      'of that company. For another payment, use another idempotency key.',
    { code: 'other_company', outcome: 'not_sent', idempotencyKey: request.idempotencyKey },
  );
}
