/** Takes down what a person decided about a create whose outcome nothing else can tell, once the service and the events bear it out. */
import { lookUp } from '../../cli/call/looking-up.js';
import { tellEnd } from '../../cli/create/telling.js';
import { openMirror } from '../../cli/feed/mirror.js';
import { isSameId } from '../../contract/notation.js';
import type { Run } from '../../cli/command.js';
import { referenceIn } from '../../cli/create/creating.js';
import { ownOperation, readWholeFeed } from '../../cli/create/from-events.js';
import { notThere, otherEnvironment, twoRequests, notAgain } from '../../cli/create/request-failures.js';
import { settledOf, ageIn } from '../../cli/create/sending.js';
import { KnownPayments } from '../../cli/create/known-payments.js';
import { whereFlagsIn } from '../../cli/line/where.js';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { type Sender, senderOf } from '../../cli/session/address.js';
import { withSession, hearSince } from '../../cli/session/session.js';
import { withJournal } from '../../cli/stores/stores-of-run.js';
import { bodyMembersOf } from '../../client/request.js';
import { foldReference } from '../../contract/reference.js';
import { type KeptRequest, type SettledRequest, ageAt } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { svcLine } from '../../runtime/shell.js';
import { KeyNotes } from '../../cli/create/key-notes.js';
import { keepAsMade, mayHaveUsed, usedPaymentOf } from './used-key.js';
import { type RepeatFlags, type RepeatWorld, requireSender, sentFrom } from './repetition.js';
import type { Evidence } from '../../bulk/check/evidence.js';
import { nextCommand } from '../../cli/call/ending.js';
import { isPersonThere, typesYes } from '../../cli/line/interaction.js';
import { GONE } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { mayLeaveAgain } from '../../contract/moment.js';

export type ResolveFlags = RepeatFlags & {
  /** What it became; without it it became none. */
  readonly operation?: string | undefined;
};

/**
 * Prints what it counts as from now on. Nothing leaves but reads.
 * @throws Failure `not_found`, `unsafe` where it is known, may be repeated, or the service or the events say something else; by the table of
 *   exit codes
 */
export async function resolveRequest(run: Run<ResolveFlags>, key: string | undefined): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags);
  await withJournal(run, async (journal) => {
    const requests = key === undefined ? [] : await journal.withKey(key);
    await withSession(run, async (open) => {
      const world: RepeatWorld = { ...open, journal };
      const { session } = world;
      const place = await senderOf(session, ports, journal.keySalt);
      const answer = (made: OutcomeWords): Promise<void> =>
        printer.answer(Buffer.from(JSON.stringify({ idempotency_key: key ?? null, ...made })));
      if (key === undefined || isMade(sentFrom(requests, place), flags))
        return answer(await told(flags.operation ?? '', world));
      if (requests.length === 0) return answer(await resolveUsed(key, place, world));
      const request = undecidedOf(sentFrom(requests, place));
      if (request.environment !== session.environment)
        throw otherEnvironment(request, world, resolveLineIn(request, run));
      await requireSender(request, place, world);
      const { direction, referenceMark, body } = request;
      const reference = body === null ? null : referenceIn(request, { members: bodyMembersOf(body) });
      const payee = { direction, referenceMark, place, reference, isStrict: true };
      const standing = new KnownPayments(payee, journal, world);
      const undecided = { request, standing, world };
      try {
        const settled =
          flags.operation === undefined ? null : await asOperation(flags.operation, reference, undecided);
        if (settled === null) await requireUnpaid(undecided);
        if (settled === null) await saySo(undecided);
        if (settled !== null) await journal.settle(request, settled);
        else if (!(await journal.remove(request))) throw notThere();
        const { operation = null, status = null } = settled ?? {};
        await answer({ operation, status });
      } finally {
        await standing.close();
      }
    });
  });
}

/** Where other data used the key, the word lets the next try go on. */
async function saySo({ request, world }: Undecided): Promise<void> {
  const notes = new KeyNotes(world.journal, request, world);
  const used = (await notes.of(request.idempotencyKey)).find(({ kind }) => kind === 'used');
  if (used !== undefined) await notes.note(request.idempotencyKey, 'not_paid', used.body);
}

/** The same of a key under which nothing waits here. @throws as \`resolveRequest\` */
async function resolveUsed(key: string, place: Sender, world: RepeatWorld): Promise<OutcomeWords> {
  const used = await usedPaymentOf(key, place, world);
  try {
    const id = (world.flags as ResolveFlags).operation;
    const found = await mayHaveUsed(used);
    if (id === undefined) {
      if (found.length > 0) throw paymentFound(found, { idempotencyKey: key });
      await confirmUnpaid(world);
      await used.notes.note(key, 'not_paid', Buffer.from(`${used.direction}\n${used.reference}`));
      return { operation: null, status: null };
    }
    const operation = (await lookUp(id, world))?.operation;
    const isOfReference = foldReference(operation?.reference ?? '') === foldReference(used.reference);
    if (operation?.direction !== used.direction || !isOfReference)
      throw refused(
        'not_its_operation',
        'The operation has another reference or direction. Nothing was changed.',
      );
    await keepAsMade(used, operation, place, world);
    return { operation: operation.id, status: operation.status };
  } finally {
    await used.standing.close();
  }
}

interface OutcomeWords {
  readonly operation: string | null;
  readonly status: string | null;
}

/** True for the operation that a settled request became. */
function isMade(requests: readonly KeptRequest[], { operation = '' }: ResolveFlags): boolean {
  return requests.some(
    ({ state, settled }) => state === 'settled' && isSameId(settled?.operation ?? '', operation),
  );
}

/** @throws Failure `not_found`; as `tellEnd` */
async function told(id: string, world: RepeatWorld): Promise<OutcomeWords> {
  const { session, journal } = world;
  const operation = await operationNamed(id, world);
  const open = await openMirror(world);
  const known = { environment: session.environment, mirror: open.mirror, journal };
  await tellEnd(operation, known, world).finally(() => open.close());
  return { operation: operation.id, status: operation.status };
}

/** @throws Failure where the service does not show it */
async function operationNamed(id: string, world: RepeatWorld): Promise<OperationFacts> {
  const { operation } = (await lookUp(id, world)) ?? {};
  if (operation !== undefined) return operation;
  throw new Failure('not_found', `The service has no operation ${id}. Nothing was changed.`, {
    ...{ code: 'not_found', outcome: 'sent' },
  });
}

/** @throws Failure `not_found`, `unsafe` for one that is settled, or where two different ones have the key */
function undecidedOf(requests: readonly KeptRequest[]): KeptRequest {
  const [first, another] = requests.filter(({ state }) => state !== 'settled');
  if (first !== undefined && another === undefined) return first;
  if (first !== undefined) throw twoRequests(first);
  const [settled] = requests;
  const text = `This request became the operation ${settled?.settled?.operation ?? '?'}: there is nothing to decide. Nothing was changed.`;
  throw refused('not_decidable', text);
}

/** @throws Failure where the service does not show it, or it is no operation of that request */
async function asOperation(
  id: string,
  reference: string | null,
  { request, standing, world }: Undecided,
): Promise<SettledRequest> {
  const operation = await operationNamed(id, world);
  const { direction, status } = operation;
  if (direction !== null && direction !== request.direction)
    throw refused(
      'not_its_operation',
      `The operation is a ${direction}, not a ${request.direction}. Nothing was changed.`,
    );
  const isOfReference =
    reference === null || foldReference(operation.reference ?? '') === foldReference(reference);
  if (!isOfReference)
    throw refused('not_its_operation', 'The operation has another reference. Nothing was changed.');
  const evidence = await standing.evidence(request.row);
  if (heldIn(evidence).has(id.toLowerCase()))
    throw refused(
      'not_its_operation',
      'The operation is the result of another request of this machine. Nothing was changed.',
    );
  if (status === 'failed') {
    if (ownOperation(request, { ...evidence, operations: [operation] }) === null)
      throw refused(
        'not_its_operation',
        'The operation failed, and it is not the result of this request. Nothing was changed.',
      );
  }
  return settledOf(operation);
}

function resolveLineIn({ environment, idempotencyKey }: KeptRequest, { flags }: Run<ResolveFlags>): string {
  const said = flags.operation === undefined ? ['--not-paid'] : ['--operation', flags.operation];
  return svcLine('requests resolve', [...said, ...whereFlagsIn(environment, flags)], ['--', idempotencyKey]);
}

/** The operations that are the results of other requests and rows, in lower case. */
function heldIn({ rows, singles }: Evidence): ReadonlySet<string | undefined> {
  return new Set([...rows, ...singles].map(({ operation }) => operation?.toLowerCase()));
}

/** One that may be decided about, and what else is known of its reference. */
interface Undecided {
  readonly request: KeptRequest;
  readonly standing: KnownPayments;
  readonly world: RepeatWorld;
}

/** @throws Failure `unsafe` where it may be repeated, the events hold what may be its operation, or nobody said yes */
async function requireUnpaid({ request, standing, world }: Undecided): Promise<void> {
  const { session, journal } = world;
  const { idempotencyKey: key, referenceMark } = request;
  await hearSince(journal, request, world);
  const age = ageAt(request, ageIn(session));
  if (age.kind === 'clocks_disagree') throw notAgain(request, age, world);
  const isUsed = (await new KeyNotes(journal, request, world).of(key)).some(({ kind }) => kind === 'used');
  const { operation = null, status } = request.settled ?? {};
  const isGone = status === GONE && request.state === 'forgotten';
  if (!request.mayNotRepeat && !isUsed && !isGone && mayLeaveAgain(age))
    throw refused(
      'may_repeat',
      `The service still knows the key ${key} and can tell the outcome: ` +
        `${request.state === 'open' ? 'repeat the request' : 'type the same line with the same key'}. Nothing was changed.`,
      request.state === 'open' ? (nextCommand({ kind: 'repeat', key }, world) ?? undefined) : undefined,
    );
  const made = operation === null || status === 'failed' ? null : await lookUp(operation, world);
  if (made !== null) throw paymentFound([made.operation], request);
  if (referenceMark === null || request.body === null)
    await session.note('Without a reference, svc cannot search the events. It relies on your word alone.');
  else {
    await readWholeFeed(standing);
    const evidence = await standing.evidence(request.row);
    const held = heldIn(evidence);
    const left = evidence.operations.filter(
      (one) => !held.has(one.id.toLowerCase()) && mayBeIts(one, request),
    );
    if (left.length > 0) throw paymentFound(left, request);
  }
  await confirmUnpaid(world);
}

/** @throws Failure `unsafe` (`not_confirmed`) where nobody said yes */
async function confirmUnpaid({ session, ports, flags }: RepeatWorld): Promise<void> {
  if (session.environment !== 'live' || flags.yes) return;
  const isPerson = isPersonThere(ports, { 'no-input': flags['no-input'] });
  if (isPerson) {
    await ports.errors.write('After this, the same line pays again. If it was not paid, type yes: ');
    if (await typesYes(ports, 'Nothing was changed.')) return;
  }
  throw refused(
    'not_confirmed',
    `Not confirmed. ${isPerson ? '' : 'In a script, add --yes. '}Nothing was changed.`,
  );
}

/** It did not fail, and was not made before that left. */
function mayBeIts(
  { status, createdAtMs: madeMs }: OperationFacts,
  { left, firstLeftMs }: KeptRequest,
): boolean {
  const leftMs = left?.serviceMs ?? firstLeftMs;
  return status !== 'failed' && (madeMs === null || madeMs >= leftMs - SERVICE_CLOCKS_MS);
}

function paymentFound(
  left: readonly OperationFacts[],
  { idempotencyKey }: Pick<KeptRequest, 'idempotencyKey'>,
): Failure {
  return new Failure(
    'unsafe',
    'The events show operations that may be this payment. Nothing was changed. Name the right one with --operation ID:',
    { code: 'operation_found', outcome: 'not_sent', idempotencyKey, items: left.map(({ id }) => id) },
  );
}

/** Nothing was changed. */
function refused(code: string, text: string, nextCommandLine?: string): Failure {
  return new Failure('unsafe', text, { code, outcome: 'not_sent', nextCommand: nextCommandLine });
}
