import {
  type Ending,
  endingOf,
  failureOf,
  printAnswer,
  repeatLine,
  type CallResult,
} from '../../command/ending.js';
import { lookUp } from '../../command/read.js';
import { type GlobalFlags, type Run, type SessionRun, inSession } from '../../command/command.js';
import { referenceIn } from '../create/planned-create.js';
import {
  ageReader,
  noteOlderOperation,
  sendRecorded,
  closeRequest,
  type CreateEnd,
  settleRequest,
  tryToNote,
} from '../create/send-recorded.js';
import {
  absentFailure,
  derivedKeyUsedFailure,
  olderPaymentFailure,
  otherCompanyFailure,
  requestGoneFailure,
  otherEnvironmentFailure,
  tooOldFailure,
  obstacleFailure,
  unknownCompanyFailure,
} from '../refusals.js';
import { endIfInFeed, endWithoutSending } from '../known/settle-from-feed.js';
import { askedEnvironment, type Where, whereFlags, whereFlagsIn } from '../../session/place-flags.js';
import { newestOperationAt, presenceOf, proveCompany } from '../../feed/company.js';
import { KnownPayments } from '../known/known-payments.js';
import { type Printer, printerFor } from '../../command/printer.js';
import { isSameSender, maskOfKey, type Sender, senderOf } from '../../session/address.js';
import { recallServiceTime } from '../../session/session.js';
import { paymentNoteBody } from '../../contract/key-use.js';
import { maySendAgain } from '../../contract/moment.js';
import type { Journal } from '../../storage/journal/journal.js';
import {
  ageAt,
  isRepeatableAt,
  type JournalRequest,
  type OpenRequest,
} from '../../storage/journal/request.js';
import { Failure, type FailureKind } from '../../runtime/failure.js';
import { onlyRequest } from './list.js';
import { confirmPrepared, isConfirmationNeeded, requireYes } from '../confirm.js';
import { isPersonThere, typesYes } from '../../command/line/terminal.js';
import { isoSeconds } from '../../runtime/clock.js';
import type { PreparedRequest } from '../../client/request.js';
import { KeyNotes } from '../known/key-notes.js';
import { svcLine } from '../../runtime/shell.js';

export type RepeatFlags = GlobalFlags &
  Readonly<Partial<Record<'same-company' | 'skip-feed-check', boolean | undefined>>>;

export interface RepeatWorld extends SessionRun<RepeatFlags> {
  readonly journal: Journal;
}

export async function repeatRequest(run: Run<RepeatFlags>, key: string): Promise<void> {
  await using journal = await run.app.openJournal();
  const requests = await journal.open(key);
  if (requests.length === 0) throw absentFailure(await journal.withKey(key), run);
  const environment = askedEnvironment(run);
  const [firstRequest] = requests;
  if (firstRequest !== undefined && requests.every((request) => request.environment !== environment))
    throw otherEnvironmentFailure(firstRequest, { session: { environment }, flags: run.flags });
  const sessionRun = await inSession(run);
  const sender = await senderOf(sessionRun.session, sessionRun.ports, journal.keySalt);
  const request = onlyRequest(requestsOfSender(requests, sender));
  await confirmUnderWay(request, sessionRun);
  await repeatOpen(request, { ...sessionRun, journal });
}

/** Requests of the sender are preferred, because two companies may use the same idempotency key. */
export function requestsOfSender<Request extends JournalRequest>(
  requests: readonly Request[],
  sender: Sender,
): readonly Request[] {
  const ownRequests = requests.filter((request) => isSameSender(request, sender));
  return ownRequests.length === 0 ? requests : ownRequests;
}

export async function repeatOpen(request: OpenRequest, world: RepeatWorld): Promise<void> {
  const { journal, session, ports, flags } = world;
  if (request.environment !== session.environment) throw otherEnvironmentFailure(request, world);
  const sender = await senderOf(session, ports, journal.keySalt);
  await requireSender(request, sender, world);
  await recallServiceTime(journal, request, world);
  const printer = await printerFor(ports, flags, request.endpoint);
  const { body, path, idempotencyKey } = request;
  const prepared = session.client.prepareRaw('POST', path, { body }, idempotencyKey);
  await session.guard.judge(prepared.request, { isAdmitted: true });
  await confirmRepetition(request, prepared, world);
  const age = ageAt(request, ageReader(session));
  const mayRepeat = !request.mayNotRepeat && maySendAgain(age);
  const finish = (end: CreateEnd): Promise<void> =>
    closeRequest(end, presentRepetition(end.result, request, world, printer), journal, world);
  const reference = referenceIn(request, prepared);
  const { direction, referenceMark } = request;
  const subject = { direction, referenceMark, place: sender, reference, isStrict: true };
  await using knownPayments = new KnownPayments(subject, journal, world);
  const isFeedSkipped = flags['skip-feed-check'] === true;
  // The feed is read first, because another machine derives the same key for the same payment.
  const readsFeedFirst = session.environment === 'live' && request.generation !== null && !isFeedSkipped;
  const looksFirst = mayRepeat ? readsFeedFirst : age.kind !== 'clocks_disagree';
  const findEnd = mayRepeat ? endIfInFeed : endWithoutSending;
  const foundEnd = looksFirst ? await findEnd({ request, prepared, knownPayments }, world) : null;
  if (foundEnd !== null) {
    await finish(foundEnd);
    return;
  }
  if (request.mayNotRepeat) throw obstacleFailure({ kind: 'replaced', request }, world);
  if (!mayRepeat) throw tooOldFailure(request, age, world);
  if (isFeedSkipped) requireYes('skip-feed-check', world, { outcome: 'unknown' });
  const { clock } = session;
  const keyOwner = { ...sender, keyMask: maskOfKey(session.key) };
  const departure = { left: clock.moment(), sender: keyOwner, anchor: clock.anchor };
  const clearedRequest = await journal.clear(request, departure);
  if (clearedRequest === null) throw requestGoneFailure(world);
  const recorded = { request: clearedRequest, settlement: null, isNew: false };
  const end = await sendRecorded({ journal, recorded, prepared }, world);
  if (end.kind === 'older_payment' && end.operation.status !== 'failed') {
    const { conclusion } = end.result;
    await tryToNote(session, () => settleRequest(journal, end.request, conclusion, end.learntTimes()));
    throw olderPaymentFailure(end.operation, conclusion, request, world);
  }
  if (end.kind === 'key_reused') {
    const notes = new KeyNotes(journal, request, world);
    await notes.note(idempotencyKey, 'used', paymentNoteBody(direction, reference ?? ''));
    await tryToNote(session, () => journal.keepOpen(end.request, end.learntTimes()));
    throw derivedKeyUsedFailure(idempotencyKey, true, world);
  }
  if (end.kind === 'older_payment') await noteOlderOperation(end.result.conclusion, null, session);
  await finish(end);
}

async function presentRepetition(
  result: CallResult,
  { idempotencyKey: key }: OpenRequest,
  run: Run<RepeatFlags>,
  printer: Printer,
): Promise<Ending> {
  const { conversation, conclusion } = result;
  const { operation, answer, exitCode } = conclusion;
  const printError = operation === null ? null : await printAnswer(answer, conversation, printer);
  if (exitCode === 0) return endingOf(run.ports, conversation, { failure: null, printError });
  const failure = failureOf(result, run);
  if (operation !== null && exitCode !== 12)
    return endingOf(run.ports, conversation, { failure, printError });
  const isTextEnough = ['no_access', 'unavailable', 'network', 'unknown_outcome'].includes(failure.kind);
  const text = isTextEnough
    ? failure.head
    : `${failure.head} This does not settle the earlier attempt: its outcome is still unknown.`;
  const openFailure = new Failure(isTextEnough ? failure.kind : 'unknown_outcome', text, {
    ...failure.facts,
    outcome: 'unknown',
    nextCommand: repeatLine(key, run),
  });
  return endingOf(run.ports, conversation, { failure: openFailure, printError });
}

export async function requireSender(
  request: JournalRequest,
  sender: Sender,
  world: RepeatWorld,
): Promise<void> {
  if (isSameSender(request, sender)) return;
  const { journal, flags } = world;
  const operation =
    (await journal.newestOf(request.keyPrint, request.environment))?.settled?.operation ??
    (await newestInMirror(request, world));
  const read = async (id: string) => ((await lookUp(id, world)) === null ? 'absent' : 'there');
  const match = proveCompany(await presenceOf(operation, read));
  if (match === 'same') return;
  if (match === 'other') throw otherCompanyFailure(request);
  if (flags['same-company'] !== true) throw unknownCompanyFailure(request);
  requireYes('same-company', world, { outcome: 'unknown', idempotencyKey: request.idempotencyKey });
}

async function newestInMirror(request: JournalRequest, { app }: Run): Promise<string | null> {
  await using mirrors = await (await app.stores()).openMirrors();
  return await newestOperationAt(mirrors, request);
}

async function confirmUnderWay({ lastSending, idempotencyKey }: OpenRequest, run: SessionRun): Promise<void> {
  const untilMs = lastSending?.underWayUntilMs ?? null;
  if (lastSending === undefined || untilMs === null) return;
  const { ports, flags, session } = run;
  const text =
    `This request may still be in progress on ${lastSending.by}, until ${isoSeconds(untilMs)} at the latest. You can repeat it with its key: ` +
    'the service carries it out once.';
  if (isConfirmationNeeded(run) || flags.yes || !isPersonThere(ports, { 'no-input': flags['no-input'] }))
    return session.note(text);
  await ports.errors.write(`${ports.redact(text)} Repeat it now? Type yes: `);
  if (await typesYes(ports, 'Nothing was sent.', session.environment !== 'live')) return;
  throw new Failure('unsafe', 'Not confirmed. Nothing was sent.', {
    ...{ code: 'not_confirmed', outcome: 'unknown', idempotencyKey },
  });
}

/** Without a yes the failure has the outcome `unknown`, because the earlier attempt is still open. */
async function confirmRepetition(
  request: OpenRequest,
  prepared: PreparedRequest,
  run: SessionRun,
): Promise<void> {
  const { idempotencyKey } = request;
  if (!isRepeatableAt(request, ageReader(run.session))) return;
  await confirmPrepared(run, prepared, true).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.kind, error.head, { ...error.facts, outcome: 'unknown', idempotencyKey });
  });
}

/** The worst kind comes first, because it gives the exit code. */
const OPEN_KINDS = ['unknown_outcome', 'unsafe', 'no_access', 'unavailable', 'network'] as const;

const PASSABLE_KINDS: readonly FailureKind[] = [
  'operation_failed',
  'rejected',
  'conflict',
  'not_found',
  'pending',
];

interface OpenEnd {
  readonly kind: (typeof OPEN_KINDS)[number];
  readonly isElsewhere: boolean;
}

export async function repeatAll(run: Run<RepeatFlags>): Promise<void> {
  const { ports } = run;
  await using journal = await run.app.openJournal();
  const openRequests = await journal.open();
  const keys = new Set(openRequests.map(({ idempotencyKey }) => idempotencyKey));
  const environment = askedEnvironment(run);
  const areAllElsewhere =
    openRequests.length > 0 && openRequests.every((request) => request.environment !== environment);
  try {
    const sessionRun = await inSession(run);
    const { session } = sessionRun;
    if (keys.size === 0) await session.note('No request is open. There is nothing to repeat.');
    const openEnds: OpenEnd[] = [];
    for (const key of keys) {
      ports.signal.throwIfAborted();
      const requests = await journal.open(key);
      if (requests.length === 0) continue;
      const openEnd = await repeatOne(key, requests, { ...sessionRun, journal });
      if (openEnd === null) continue;
      openEnds.push(openEnd);
      if (openEnd.kind === 'no_access') break;
    }
    if (openEnds.length > 0) throw stillOpenFailure(openEnds, keys.size, sessionRun);
  } catch (error) {
    const hasNoKey = error instanceof Failure && error.kind === 'no_access' && areAllElsewhere;
    if (!hasNoKey) throw error;
    const openEnds = [...keys].map(() => ({ kind: 'unsafe', isElsewhere: true }) as const);
    throw stillOpenFailure(openEnds, keys.size, { flags: run.flags, session: { environment } });
  }
}

async function repeatOne(
  key: string,
  requests: readonly OpenRequest[],
  world: RepeatWorld,
): Promise<OpenEnd | null> {
  try {
    await repeatOpen(onlyRequest(requests), world);
    return null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!isOpenKind(error.kind) && !PASSABLE_KINDS.includes(error.kind)) throw error;
    await world.session.note(`Request ${key}: ${error.message}`);
    const isElsewhere = error.facts.code === 'other_place';
    if (isOpenKind(error.kind)) return { kind: error.kind, isElsewhere };
    return error.facts.outcome === 'unknown' ? { kind: 'unknown_outcome', isElsewhere } : null;
  }
}

function isOpenKind(kind: FailureKind): kind is OpenEnd['kind'] {
  return OPEN_KINDS.some((openKind) => openKind === kind);
}

function stillOpenFailure(
  openEnds: readonly OpenEnd[],
  total: number,
  {
    flags,
    session,
  }: { readonly flags: Where; readonly session: Pick<RepeatWorld['session'], 'environment'> },
): Failure {
  const worstKind =
    OPEN_KINDS.find((openKind) => openEnds.some(({ kind }) => kind === openKind)) ?? 'unknown_outcome';
  const elsewhereCount = openEnds.filter(({ isElsewhere }) => isElsewhere).length;
  const otherEnvironment = session.environment === 'live' ? 'sandbox' : 'live';
  const advice = {
    unknown_outcome: 'Repeat them later: the same keys pay nothing twice.',
    unsafe: 'At least one cannot be repeated here: a person decides.',
    no_access: 'The service does not accept this API key.',
    unavailable: 'The service cannot answer now.',
    network: 'The service could not be reached.',
  }[worstKind];
  const areAllElsewhere = elsewhereCount === openEnds.length;
  const elsewhereText =
    elsewhereCount === 0 ? '' : ` ${String(elsewhereCount)} went to the ${otherEnvironment} environment.`;
  const placeFlags = areAllElsewhere ? whereFlagsIn(otherEnvironment, flags) : whereFlags(flags);
  const needsPerson = worstKind === 'unsafe' && !areAllElsewhere;
  const openText = `${String(openEnds.length)} of ${String(total)} requests ${openEnds.length === 1 ? 'is' : 'are'} still open.`;
  return new Failure(worstKind, `${openText}${elsewhereText}${areAllElsewhere ? '' : ` ${advice}`}`, {
    outcome: 'unknown',
    retryable: worstKind === 'unavailable' || worstKind === 'network',
    nextCommand: needsPerson
      ? svcLine('requests list', placeFlags)
      : svcLine('requests repeat', ['--all', ...placeFlags]),
  });
}
