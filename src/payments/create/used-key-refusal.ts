import type { KnownPayment } from '../known/payments.js';
import type { JournalRequest, SettledRequest } from '../../storage/journal/request.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { commandLine, svcLine } from '../../runtime/shell.js';
import { withoutFlags } from '../../command/line/typed-words.js';
import { whereFlags } from '../../session/place-flags.js';
import type { PlannedCreate } from './planned-create.js';

export async function usedKeyFailure(request: JournalRequest, create: PlannedCreate): Promise<Failure> {
  const settlement = await currentSettlement(request, create);
  return new Failure(
    'unsafe',
    `This key ${madeOperationText(settlement)} It was first sent at ${isoSeconds(request.firstLeftMs)}. After 23 hours the service may have forgotten ` +
      'the key, so it could pay twice. Nothing was sent. Use another key for another payment.',
    {
      code: 'key_used',
      outcome: 'not_sent',
      idempotencyKey: request.idempotencyKey,
      ...nextStepOf(settlement, create),
    },
  );
}

export async function explainReuse(failure: Failure, create: PlannedCreate): Promise<Failure> {
  const { journal, unsent, knownPayments } = create;
  const { environment } = unsent;
  const requests = await journal.withKey(unsent.idempotencyKey);
  await knownPayments.singles.of(requests);
  const ourRequests = requests.filter((one) => knownPayments.singles.companyMatchOf(one) !== 'other');
  const request = ourRequests.findLast((one) => one.settled !== null && one.environment === environment);
  if (request === undefined) return failure;
  const settlement = await currentSettlement(request, create);
  const head = `${failure.head} This key ${madeOperationText(settlement)}`;
  return new Failure(failure.kind, head, { ...failure.facts, ...nextStepOf(settlement, create) });
}

async function currentSettlement(
  { settled, row }: JournalRequest,
  { knownPayments, journal, unsent }: PlannedCreate,
): Promise<SettledRequest | null> {
  if (settled === null) return null;
  const payment = { operation: settled.operation, status: settled.status } as KnownPayment;
  await knownPayments.refreshPending([payment]);
  const current = (await journal.withKey(unsent.idempotencyKey)).find((one) => one.row === row);
  return current?.settled ?? settled;
}

function madeOperationText(settlement: SettledRequest | null): string {
  if (settlement === null) return 'made an operation.';
  const { operation, status } = settlement;
  const endText = { confirmed: 'is confirmed: it was paid', failed: 'failed: it was not paid' }[status];
  return `made operation ${operation}, which ${endText ?? `is ${status}`}.`;
}

function nextStepOf(settlement: SettledRequest | null, { run }: PlannedCreate): FailureFacts {
  if (settlement === null) return {};
  const { operation, status } = settlement;
  const retypedWords = withoutFlags(run.typed, ['--idempotency-key']);
  const nextStep =
    status === 'failed'
      ? { nextCommand: commandLine(['svc', ...retypedWords]), isTypedCreate: true }
      : { nextCommand: svcLine('transactions get', whereFlags(run.flags), [operation]) };
  const more = { operation_id: operation, status };
  return { details: [{ field: 'Idempotency-Key', code: 'key_used', extraMembers: more }], ...nextStep };
}
