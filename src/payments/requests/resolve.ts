import { repeatLine } from '../../command/ending.js';
import { lookUp } from '../../command/read.js';
import {
  confirmUnpaid,
  refusePending,
  requireOperation,
  recordEnd,
  undecidedFailure,
} from '../operations/record-end.js';
import { openMirror } from '../../feed/open-mirror.js';
import { isSameId } from '../../contract/notation.js';
import { type Run, inSession } from '../../command/command.js';
import { referenceIn } from '../create/planned-create.js';
import { ownOperation, readWholeFeed } from '../known/settle-from-feed.js';
import {
  requestGoneFailure,
  otherEnvironmentFailure,
  twoRequestsFailure,
  tooOldFailure,
} from '../refusals.js';
import { ageReader, settlementOf } from '../create/send-recorded.js';
import { KnownPayments } from '../known/known-payments.js';
import { whereFlags, whereFlagsIn } from '../../session/place-flags.js';
import { printerOfAnything } from '../../command/printer.js';
import { type Sender, senderOf, maskOfKey } from '../../session/address.js';
import { recallServiceTime } from '../../session/session.js';
import { bodyMembersOf } from '../../client/request.js';
import { isSameReference } from '../../contract/reference.js';
import {
  type JournalRequest,
  type SettledRequest,
  ageAt,
  subjectOf,
  type UnsentRequest,
} from '../../storage/journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { svcLine } from '../../runtime/shell.js';
import { KeyNotes } from '../known/key-notes.js';
import { type RepeatFlags, type RepeatWorld, requireSender, requestsOfSender } from './repeat.js';
import { heldOperationIds } from '../known/evidence.js';
import { type KeyNote, paymentNoteBody } from '../../contract/key-use.js';
import { GONE, type Direction } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import { SERVICE_CLOCKS_MS, KEY_SAFE_MS } from '../../contract/limits.js';
import { maySendAgain } from '../../contract/moment.js';
import { referenceMark } from '../../contract/marks.js';

export type ResolveFlags = RepeatFlags & {
  readonly operation?: string | undefined;
};

export async function resolveRequest(run: Run<ResolveFlags>, key: string | undefined): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags);
  await using journal = await run.app.openJournal();
  const requests = key === undefined ? [] : await journal.withKey(key);
  const world: RepeatWorld = { ...(await inSession(run)), journal };
  const { session } = world;
  const sender = await senderOf(session, ports, journal.keySalt);
  const printOutcome = (outcome: ResolvedOutcome): Promise<void> =>
    printer.answer(Buffer.from(JSON.stringify({ idempotency_key: key ?? null, ...outcome })));
  const ownRequests = requestsOfSender(requests, sender);
  const isSettled = ownRequests.some(
    ({ state, settled }) => state === 'settled' && isSameId(settled?.operation ?? '', flags.operation ?? ''),
  );
  if (key === undefined || isSettled) {
    await printOutcome(await resolveContradiction(flags.operation ?? '', world));
    return;
  }
  const usedNote = await new KeyNotes(journal, sender, world).usedNote(key);
  if (requests.length === 0 && usedNote === undefined) throw requestGoneFailure(world);
  const haveFailed = requests.every(
    ({ state, settled }) => state === 'settled' && settled?.status === 'failed',
  );
  if (usedNote !== undefined && haveFailed) {
    await printOutcome(await resolveUsedKey(key, usedNote, sender, world));
    return;
  }
  const request = requireUndecided(ownRequests);
  if (request.environment !== session.environment)
    throw otherEnvironmentFailure(request, world, resolveLineIn(request, run));
  await requireSender(request, sender, world);
  const { direction, referenceMark, body } = request;
  const reference = body === null ? null : referenceIn(request, { members: bodyMembersOf(body) });
  const paymentSubject = { direction, referenceMark, place: sender, reference, isStrict: true };
  await using knownPayments = new KnownPayments(paymentSubject, journal, world);
  const undecidedCase = { request, knownPayments, world };
  const settlement =
    flags.operation === undefined
      ? null
      : await settlementFromOperation(flags.operation, reference, undecidedCase);
  if (settlement !== null) await journal.settle(request, settlement);
  else {
    await requireUnpaid(undecidedCase);
    await noteNotPaid(undecidedCase);
    if (!(await journal.remove(request))) throw requestGoneFailure();
  }
  const { operation = null, status = null } = settlement ?? {};
  await printOutcome({ operation, status });
}

async function noteNotPaid({ request, world }: UndecidedCase): Promise<void> {
  const notes = new KeyNotes(world.journal, request, world);
  const usedNote = await notes.usedNote(request.idempotencyKey);
  if (usedNote !== undefined) await notes.note(request.idempotencyKey, 'not_paid', usedNote.body);
}

async function resolveUsedKey(
  key: string,
  usedNote: KeyNote,
  place: Sender,
  world: RepeatWorld,
): Promise<ResolvedOutcome> {
  const sinceMs = usedNote.notedAtMs - KEY_SAFE_MS;
  const [directionText, ...referenceLines] = Buffer.from(usedNote.body).toString('utf8').split('\n');
  const direction: Direction = directionText === 'payin' ? 'payin' : 'payout';
  const reference = referenceLines.join('\n');
  const subject = { direction, reference, referenceMark: referenceMark(reference), place, isStrict: true };
  await using knownPayments = new KnownPayments(subject, world.journal, world);
  const id = (world.flags as ResolveFlags).operation;
  await readWholeFeed(knownPayments);
  const { operations } = await knownPayments.evidence(null);
  if (id === undefined) {
    refuseMatch(operations, sinceMs, key, world);
    await confirmNotPaid(world);
    const notes = new KeyNotes(world.journal, place, world);
    await notes.note(key, 'not_paid', paymentNoteBody(direction, reference));
    return { operation: null, status: null };
  }
  const operation = (await lookUp(id, world))?.operation;
  if (operation?.direction !== direction || !isSameReference(operation.reference, reference))
    throw undecidedFailure('not_its_operation', 'The operation has another reference or direction.');
  await recordAsPaid(key, direction, operation, place, world);
  return { operation: operation.id, status: operation.status };
}

interface ResolvedOutcome {
  readonly operation: string | null;
  readonly status: string | null;
}

async function resolveContradiction(id: string, world: RepeatWorld): Promise<ResolvedOutcome> {
  const { session, journal } = world;
  const operation = await requireOperation(id, world);
  const openedMirror = await openMirror(world);
  const endStores = { environment: session.environment, mirror: openedMirror.mirror, journal };
  await recordEnd(operation, endStores, world).finally(() => openedMirror.close());
  return { operation: operation.id, status: operation.status };
}

function requireUndecided(requests: readonly JournalRequest[]): JournalRequest {
  const [request, otherRequest] = requests.filter(({ state }) => state !== 'settled');
  if (request !== undefined && otherRequest === undefined) return request;
  if (request !== undefined) throw twoRequestsFailure(request);
  const [settledRequest] = requests;
  const operationId = settledRequest?.settled?.operation ?? '?';
  const text = `This request became the operation ${operationId}: there is nothing to decide.`;
  throw undecidedFailure('not_decidable', text);
}

async function settlementFromOperation(
  id: string,
  reference: string | null,
  { request, knownPayments, world }: UndecidedCase,
): Promise<SettledRequest> {
  const operation = await requireOperation(id, world);
  const { direction, status } = operation;
  const mismatch = (why: string): Failure => undecidedFailure('not_its_operation', `The operation ${why}.`);
  if (direction !== null && direction !== request.direction)
    throw mismatch(`is a ${direction}, not a ${request.direction}`);
  if (reference !== null && !isSameReference(operation.reference, reference))
    throw mismatch('has another reference');
  const evidence = await knownPayments.evidence(request.row);
  if (heldOperationIds(evidence).has(id.toLowerCase()))
    throw mismatch('is the result of another request of this machine');
  if (status === 'failed' && ownOperation(request, { ...evidence, operations: [operation] }) === null)
    throw mismatch('failed, and it is not the result of this request');
  return settlementOf(operation);
}

function resolveLineIn(
  { environment, idempotencyKey }: JournalRequest,
  { flags }: Run<ResolveFlags>,
): string {
  const decisionFlags = flags.operation === undefined ? ['--not-paid'] : ['--operation', flags.operation];
  return svcLine(
    'requests resolve',
    [...decisionFlags, ...whereFlagsIn(environment, flags)],
    ['--', idempotencyKey],
  );
}

interface UndecidedCase {
  readonly request: JournalRequest;
  readonly knownPayments: KnownPayments;
  readonly world: RepeatWorld;
}

async function requireUnpaid({ request, knownPayments, world }: UndecidedCase): Promise<void> {
  const { session, journal } = world;
  const { idempotencyKey: key, referenceMark } = request;
  await recallServiceTime(journal, request, world);
  const age = ageAt(request, ageReader(session));
  if (age.kind === 'clocks_disagree') throw tooOldFailure(request, age, world);
  const isKeyUsed = (await new KeyNotes(journal, request, world).usedNote(key)) !== undefined;
  const { operation = null, status } = request.settled ?? {};
  const isGone = status === GONE && request.state === 'forgotten';
  if (!request.mayNotRepeat && !isKeyUsed && !isGone && maySendAgain(age))
    throw undecidedFailure(
      'may_repeat',
      `The service still knows the key ${key} and can tell the outcome: ` +
        `${request.state === 'open' ? 'repeat the request' : 'type the same line with the same key'}.`,
      request.state === 'open' ? repeatLine(key, world) : undefined,
    );
  const answer = operation === null || status === 'failed' ? null : await lookUp(operation, world);
  if (answer !== null && answer.operation.status !== 'failed')
    throw matchFailure([answer.operation], key, world);
  const followCommand = (batch: string): string =>
    svcLine('batches resume', ['--wait', ...whereFlags(world.flags)], [batch]);
  if (isGone) refusePending(await knownPayments.evidence(request.row), operation, followCommand);
  if (referenceMark === null || request.body === null)
    await session.note('Without a reference, svc cannot search the events. It relies on your word alone.');
  else {
    await readWholeFeed(knownPayments);
    const evidence = await knownPayments.evidence(request.row);
    const heldIds = heldOperationIds(evidence);
    const freeOperations = evidence.operations.filter((one) => !heldIds.has(one.id.toLowerCase()));
    refuseMatch(freeOperations, request.firstLeftMs - SERVICE_CLOCKS_MS, key, world);
  }
  await confirmNotPaid(world);
}

async function confirmNotPaid(world: RepeatWorld): Promise<void> {
  if (world.session.environment !== 'live' || world.flags.yes) return;
  const question = 'After this, the same line pays again. If it was not paid, type yes: ';
  await confirmUnpaid(world, () => Promise.resolve(question));
}

function refuseMatch(
  operations: readonly OperationFacts[],
  sinceMs: number,
  key: string,
  run: RepeatWorld,
): void {
  const matches = operations.filter(
    ({ status, createdAtMs: atMs }) => status !== 'failed' && (atMs === null || atMs >= sinceMs),
  );
  if (matches.length > 0) throw matchFailure(matches, key, run);
}

function matchFailure(matches: readonly OperationFacts[], idempotencyKey: string, run: RepeatWorld): Failure {
  const contradictedMatch = matches.find(({ ends }) => ends === 'both');
  const [when, keyWords] =
    contradictedMatch === undefined
      ? ['If this is its payment', ['--', idempotencyKey]]
      : ['To ask which of its two ends is true', []];
  const words = ['--operation', (contradictedMatch ?? matches[0])?.id ?? 'ID', ...whereFlags(run.flags)];
  return new Failure(
    'unsafe',
    'The events show operations that may be this payment. Nothing was changed. Name the right one with --operation ID:',
    {
      code: 'operation_found',
      outcome: 'not_sent',
      idempotencyKey,
      items: matches.map((one) => one.id),
      otherCommand: { when, line: svcLine('requests resolve', words, keyWords) },
    },
  );
}

/** The operation is kept as a settled create, because later payments of its reference are checked against those. */
async function recordAsPaid(
  key: string,
  direction: Direction,
  operation: OperationFacts,
  place: Sender,
  { journal, session }: RepeatWorld,
): Promise<void> {
  const { reference, amount, currency } = operation;
  const members = { reference, amount, currency };
  const body = Buffer.from(JSON.stringify(members));
  const endpoint = `${direction}s.create` as const;
  const unsentRequest: UnsentRequest = {
    ...{ idempotencyKey: key, isOwnKey: false, follows: null, generation: null, endpoint, body },
    ...{ path: `/v2/${direction}s`, keyMask: maskOfKey(session.key), sinceMs: null },
    ...place,
    ...subjectOf(endpoint, body, members),
  };
  const recorded = await journal.record(unsentRequest, {
    ageOf: () => ({ kind: 'time_unknown' }),
    companyOf: () => 'other',
  });
  if ('kind' in recorded) return;
  const departure = { left: session.clock.moment(), sender: unsentRequest };
  const openRequest = await journal.clear(recorded.request, departure);
  if (openRequest !== null) await journal.settle(openRequest, settlementOf(operation));
}
