/** Whether a create may be called unpaid: its own key, the events and the service are asked before a person's word counts. */
import { type ProbeResult, probeKey } from '../../bulk/run/row-evidence.js';
import { probingOver } from '../../cli/bulk/attempts.js';
import { nextCommand } from '../../cli/call/next.js';
import { readWholeFeed } from '../../cli/create/from-events.js';
import { notAgain } from '../../cli/create/request-failures.js';
import { ageIn } from '../../cli/create/sending.js';
import type { StandingList } from '../../cli/create/standing.js';
import { isPersonThere, readTypedAnswer } from '../../cli/line/interaction.js';
import { hearSince } from '../../cli/session/service-time.js';
import { newIdempotencyKey } from '../../client/preparation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { mayLeaveAgain } from '../../contract/moment.js';
import { ageAt, type KeptRequest } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import type { RepeatWorld } from './repetition.js';

/** One that may be decided about, and what else is known of its reference. */
export interface Undecided {
  readonly request: KeptRequest;
  readonly standing: StandingList;
  readonly world: RepeatWorld;
}

/** @throws Failure `unsafe` where it may be repeated, the events hold what may be its operation, or nobody said yes */
export async function requireUnpaid({ request, standing, world }: Undecided): Promise<void> {
  const { session, ports, flags, journal } = world;
  const { idempotencyKey: key, referenceMark } = request;
  await hearSince(journal, request, world);
  const age = ageAt(request, ageIn(session));
  if (age.kind === 'clocks_disagree') throw notAgain(request, age, world);
  if (!request.mayNotRepeat && mayLeaveAgain(age))
    throw refused(
      'may_repeat',
      `The service still knows the key ${key} and can tell the outcome: ` +
        `${request.state === 'open' ? 'repeat the request' : 'type the same line with the same key'}. Nothing was changed.`,
      request.state === 'open' ? (nextCommand({ kind: 'repeat', key }, world) ?? undefined) : undefined,
    );
  if (referenceMark === null || request.body === null)
    await session.note('Without a reference, svc cannot search the events. It relies on your word alone.');
  else {
    await readWholeFeed(standing);
    const { operations, rows, singles } = await standing.evidence(request.row);
    const held = new Set([...rows, ...singles].map(({ operation }) => operation?.toLowerCase()));
    const left = operations.filter((one) => !held.has(one.id.toLowerCase()) && mayBeIts(one, request));
    if (left.length > 0) throw paymentFound(left, request);
  }
  const probe = await askOfKey(request, world);
  if (probe === 'payment')
    throw refused(
      'payment_exists',
      `The service has a payment under the key ${key}. Name it with --operation ID. A pending operation has no event yet. Nothing was changed.`,
    );
  if (session.environment !== 'live' || flags.yes) return;
  const isPerson = isPersonThere(ports, { 'no-input': flags['no-input'] });
  if (isPerson) {
    const evidence =
      probe === 'no_payment'
        ? 'The service has no payment under its key.'
        : 'No evidence: the service does not say whether it has a payment under its key.';
    await ports.errors.write(
      `${evidence}\nAfter this, the same line pays again. If it was not paid, type yes: `,
    );
    const answer = await readTypedAnswer(ports, 'Nothing was changed.');
    if (answer?.trim().toLowerCase() === 'yes') return;
  }
  throw refused(
    'not_confirmed',
    `Not confirmed. ${isPerson ? '' : 'In a script, add --yes. '}Nothing was changed.`,
  );
}

/** What the service says of the request's key: tried on a key that the same API key has paid with before it left, and on a fresh one. */
async function askOfKey(
  { idempotencyKey: key, keyPrint, environment, direction, left }: KeptRequest,
  { journal, session, ports }: RepeatWorld,
): Promise<ProbeResult> {
  const sentAtMs = left?.serviceMs ?? null;
  const paid = sentAtMs === null ? null : await journal.newestOf(keyPrint, environment, sentAtMs);
  const control =
    paid === null
      ? null
      : { key: paid.idempotencyKey, direction: paid.direction, sentAtMs: paid.firstLeftMs };
  const world = { probe: probingOver(session), freshKey: () => newIdempotencyKey(ports.random) };
  return probeKey({ key, sentAtMs }, direction, control, world);
}

/** It did not fail, and was not made before that left. */
function mayBeIts(
  { status, createdAtMs: madeMs }: OperationFacts,
  { left, firstLeftMs }: KeptRequest,
): boolean {
  const leftMs = left?.serviceMs ?? firstLeftMs;
  return status !== 'failed' && (madeMs === null || madeMs >= leftMs - SERVICE_CLOCKS_MS);
}

function paymentFound(left: readonly OperationFacts[], { idempotencyKey }: KeptRequest): Failure {
  return new Failure(
    'unsafe',
    'The events show operations that may be this payment. Nothing was changed. Name the right one with --operation ID:',
    { code: 'operation_found', outcome: 'not_sent', idempotencyKey, items: left.map(({ id }) => id) },
  );
}

/** Nothing was changed. */
export function refused(code: string, text: string, nextCommandLine?: string): Failure {
  return new Failure('unsafe', text, { code, outcome: 'not_sent', nextCommand: nextCommandLine });
}
