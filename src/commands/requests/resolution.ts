/** Takes down what a person decided about a create whose outcome nothing else can tell, once the service and the events bear it out. */
import { lookUp } from '../../cli/call/looking-up.js';
import type { Run } from '../../cli/command.js';
import { referenceIn } from '../../cli/create/creating.js';
import { ownOperation } from '../../cli/create/from-events.js';
import { notThere, otherEnvironment, twoRequests } from '../../cli/create/request-failures.js';
import { settledOf } from '../../cli/create/sending.js';
import { StandingList } from '../../cli/create/standing.js';
import { whereFlagsIn } from '../../cli/line/where.js';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { senderOf } from '../../cli/session/address.js';
import { withSession } from '../../cli/session/session.js';
import { withJournal } from '../../cli/stores/stores-of-run.js';
import { bodyMembersOf } from '../../client/request.js';
import { foldReference } from '../../contract/reference.js';
import type { KeptRequest, SettledRequest } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import { svcLine } from '../../runtime/shell.js';
import { refused, requireUnpaid, type Undecided } from './unpaid.js';
import { type RepeatFlags, type RepeatWorld, requireSender, sentFrom } from './repetition.js';

export type ResolveFlags = RepeatFlags & {
  /** What it became; without it it became none. */
  readonly operation?: string | undefined;
};

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
      const reference = body === null ? null : referenceIn(request, { members: bodyMembersOf(body) });
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
  const text = `This request became the operation ${settled?.settled?.operation ?? '?'}: there is nothing to decide. Nothing was changed.`;
  throw refused('not_decidable', text);
}

/** @throws Failure where the service does not show it, or it is no operation of that request */
async function asOperation(
  id: string,
  reference: string | null,
  { request, standing, world }: Undecided,
): Promise<SettledRequest> {
  const { operation } = (await lookUp(id, world)) ?? {};
  if (operation === undefined)
    throw new Failure('not_found', `The service has no operation ${id}. Nothing was changed.`, {
      ...{ code: 'not_found', outcome: 'sent' },
    });
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
  if (status === 'failed') {
    const evidence = await standing.evidence(request.row);
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
