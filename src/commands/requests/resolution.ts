/** Takes down what a person decided about a create whose outcome nothing else can tell, once the service and the events bear it out. */
import { lookUp } from '../../cli/call/looking-up.js';
import { nextCommand } from '../../cli/call/next.js';
import type { Run } from '../../cli/command.js';
import { referenceIn } from '../../cli/create/creating.js';
import { readWholeFeed } from '../../cli/create/feed-reading.js';
import { ownOperation } from '../../cli/create/from-events.js';
import { notAgain, notThere, otherEnvironment, twoRequests } from '../../cli/create/request-failures.js';
import { ageIn } from '../../cli/create/settling.js';
import { StandingList } from '../../cli/create/standing.js';
import { isPersonThere, readTypedAnswer } from '../../cli/line/interaction.js';
import { whereFlagsIn } from '../../cli/line/where.js';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { senderOf } from '../../cli/session/address.js';
import { hearSince } from '../../cli/session/service-time.js';
import { withSession } from '../../cli/session/session.js';
import { withJournal } from '../../cli/stores/books.js';
import { claimsOf, type OperationClaims } from '../../contract/claims.js';
import { parseJson } from '../../contract/json-text.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { mayLeaveAgain } from '../../contract/moment.js';
import { momentMs } from '../../contract/notation.js';
import { foldReference } from '../../contract/reference.js';
import { ageAt, type KeptRequest, type SettledRequest } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { svcLine } from '../../runtime/shell.js';
import { type RepeatFlags, type RepeatWorld, requireSender, sentFrom } from './repetition.js';

export type ResolveFlags = RepeatFlags & {
  /** What it became; without it it became none. */
  readonly operation?: string | undefined;
};

/** One that may be decided about, and what else is known of its reference. */
interface Undecided {
  readonly request: KeptRequest;
  readonly standing: StandingList;
  readonly world: RepeatWorld;
}

/**
 * Prints what it counts as from now on. Nothing leaves but reads.
 * @throws Failure `not_found`, `unsafe` where it is known, may be repeated, or the service or the events say something else; by the table of
 *   exit codes
 */
export async function resolveRequest(run: Run<ResolveFlags>, key: string): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags);
  await withJournal(run, async (journal) => {
    const requests = await journal.withKey(key);
    if (requests.length === 0) throw notThere();
    await withSession(run, async (open) => {
      const world: RepeatWorld = { ...open, journal };
      const { session } = world;
      const place = await senderOf(session, ports, journal.keySalt);
      const request = undecidedOf(sentFrom(requests, place));
      if (request.environment !== session.environment)
        throw otherEnvironment(request, world, resolveLineIn(request, run));
      await requireSender(request, place, world);
      const { direction, referenceMark, body } = request;
      const reference = body === null ? null : referenceIn(request, body);
      const payee = { direction, referenceMark, place, reference, isStrict: true };
      const standing = new StandingList(payee, journal, world);
      const undecided = { request, standing, world };
      try {
        const settled =
          flags.operation === undefined ? null : await asOperation(flags.operation, reference, undecided);
        if (settled === null) await requireUnpaid(undecided);
        if (settled !== null) await journal.settle(request, settled);
        else if (!(await journal.remove(request))) throw notThere();
        const { operation = null, status = null } = settled ?? {};
        await printer.answer(Buffer.from(JSON.stringify({ idempotency_key: key, operation, status })));
      } finally {
        await standing.close();
      }
    });
  });
}

/** @throws Failure `not_found`, `unsafe` for one that is settled, or where two different ones have the key */
function undecidedOf(requests: readonly KeptRequest[]): KeptRequest {
  const [first, another] = requests.filter(({ state }) => state !== 'settled');
  if (first !== undefined && another === undefined) return first;
  if (first !== undefined) throw twoRequests(first);
  const [settled] = requests;
  const text = `This request became the operation ${settled?.settled?.operation ?? '?'}: nobody has to decide about it. Nothing was changed.`;
  throw refused('not_decidable', text);
}

/** @throws Failure where the service does not show it, or it is no operation of that request */
async function asOperation(
  id: string,
  reference: string | null,
  { request, standing, world }: Undecided,
): Promise<SettledRequest> {
  const body = await lookUp(id, world);
  const operation = body === null ? null : claimsOf(parseJson(body));
  if (operation === null)
    throw new Failure('not_found', `The service shows no operation ${id}. Nothing was changed.`, {
      ...{ code: 'not_found', outcome: 'sent' },
    });
  const { direction, status, createdAt } = operation;
  if (direction !== undefined && direction !== request.direction)
    throw refused('not_its_operation', `The operation is a ${direction}. Nothing was changed.`);
  const isOfReference =
    reference === null || foldReference(operation.reference ?? '') === foldReference(reference);
  if (!isOfReference)
    throw refused('not_its_operation', 'The operation is not of this reference. Nothing was changed.');
  if (status === 'failed') {
    const evidence = await standing.evidence(request.row);
    if (ownOperation(request, { ...evidence, operations: [operation] }) === null)
      throw refused(
        'not_its_operation',
        'The operation failed, and is an earlier try of this payment, or of another. Nothing was changed.',
      );
  }
  return { operation: operation.id, status, createdAtMs: momentMs(createdAt) };
}

/** @throws Failure `unsafe` where it may be repeated, the events hold what may be its operation, or nobody said yes */
async function requireUnpaid({ request, standing, world }: Undecided): Promise<void> {
  const { session, ports, flags, journal } = world;
  const { idempotencyKey: key, referenceMark } = request;
  await hearSince(journal, request, world);
  const age = ageAt(request, ageIn(session));
  if (age.kind === 'clocks_disagree') throw notAgain(request, age, world);
  if (!request.mayNotRepeat && mayLeaveAgain(age))
    throw refused(
      'may_repeat',
      `The service still knows the key ${key}, and says itself what became of it: ` +
        `${request.state === 'open' ? 'repeat it' : 'type the same line with the same key'}. Nothing was changed.`,
      request.state === 'open' ? (nextCommand({ kind: 'repeat', key }, world) ?? undefined) : undefined,
    );
  if (referenceMark === null || request.body === null)
    await session.note('The events cannot be asked for it without its reference: your word alone counts.');
  else {
    await readWholeFeed(standing);
    const { operations, rows, singles } = await standing.evidence(request.row);
    const held = new Set([...rows, ...singles].map(({ operation }) => operation?.toLowerCase()));
    const left = operations.filter((one) => !held.has(one.id.toLowerCase()) && mayBeIts(one, request));
    if (left.length > 0) throw paymentFound(left, request);
  }
  if (session.environment !== 'live' || flags.yes) return;
  if (isPersonThere(ports, { 'no-input': flags['no-input'] })) {
    await ports.errors.write(`The same line pays it once more then. It was not paid? Type yes: `);
    const answer = await readTypedAnswer(ports, 'Nothing was changed.');
    if (answer?.trim().toLowerCase() === 'yes') return;
  }
  throw refused('not_confirmed', 'It was not confirmed; a script says --yes. Nothing was changed.');
}

/** It did not fail, and was not made before that left. */
function mayBeIts({ status, createdAt }: OperationClaims, { left, firstLeftMs }: KeptRequest): boolean {
  const madeMs = momentMs(createdAt);
  const leftMs = left?.serviceMs ?? firstLeftMs;
  return status !== 'failed' && (madeMs === null || madeMs >= leftMs - SERVICE_CLOCKS_MS);
}

function paymentFound(left: readonly OperationClaims[], { idempotencyKey }: KeptRequest): Failure {
  return new Failure(
    'unsafe',
    'The events hold what may be its payment. Nothing was changed. Name the right one with --operation:',
    { code: 'operation_found', outcome: 'not_sent', idempotencyKey, items: left.map(({ id }) => id) },
  );
}

function refused(code: string, text: string, nextCommandLine?: string): Failure {
  return new Failure('unsafe', text, { code, outcome: 'not_sent', nextCommand: nextCommandLine });
}

function resolveLineIn({ environment, idempotencyKey }: KeptRequest, { flags }: Run<ResolveFlags>): string {
  const said = flags.operation === undefined ? ['--not-paid'] : ['--operation', flags.operation];
  return svcLine('requests resolve', [...said, ...whereFlagsIn(environment, flags)], ['--', idempotencyKey]);
}
