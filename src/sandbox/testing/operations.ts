import { FAILURES } from '../../contract/failures.js';
import { checkId, checkOptions, quote, UnmetError } from './arguments.js';
import { ControlRefusal, type SandboxControl } from './control.js';
import type { DifferingPayment, FailureToMake, PayOptions, SandboxOperation } from './types.js';

export async function payFor(
  control: SandboxControl,
  id: string,
  changes: DifferingPayment,
  options: PayOptions,
): Promise<SandboxOperation | null> {
  checkOptions('pay', changes, ['method', 'currency', 'amount', 'bank_code', 'phone', 'document']);
  checkOptions('pay', options, ['exact']);
  const target = await operationOf(control, 'pay', id);
  const { operation, waits_for: wait } = target;
  if (wait?.kind !== 'payment')
    throw new UnmetError(`${titleOf(target)} waits for no payment: ${describeState(target)}.`);
  const expectedPayment: DifferingPayment = wait.payment ?? {};
  const differingMember = Object.entries(changes).find(
    ([name, value]) => quote(value) !== quote(expectedPayment[name as keyof DifferingPayment]),
  );
  if (options.exact === true && differingMember !== undefined)
    throw new UnmetError(
      `Nothing was paid: the pay-in ${target.id} (${operation.method}) does not wait for ${differingMember[0]} ${quote(differingMember[1])}.`,
    );
  const olderPayin = wait.paid_first ?? null;
  if (options.exact === true && olderPayin !== null)
    throw new UnmetError(
      `Nothing was paid: the pay-in ${olderPayin.id} is older than ${target.id} and waits for the same, so it would get the money. Pay or cancel it first, or give the two different amounts.`,
    );
  const result = (await control.post('payments', { ...changes, for: id })) as {
    attributed_to: string | null;
  };
  return result.attributed_to === null ? null : operationOf(control, 'pay', result.attributed_to);
}

export function settleOperation(control: SandboxControl, id: string, failure?: FailureToMake) {
  const problemText = 'waits for no answer of the bank';
  if (failure === undefined)
    return controlOperation(control, id, 'settle', problemText, { status: 'confirmed' });
  checkOptions('settle', failure, ['code', 'reason']);
  const { code } = failure;
  if (!Object.hasOwn(FAILURES, code))
    throw new TypeError(
      `settle() has no failure code ${quote(code)}: there are ${Object.keys(FAILURES).join(', ')}`,
    );
  const { reasons } = FAILURES[code];
  const { reason = reasons[0] } = failure;
  if (!reasons.some((one) => one === reason))
    throw new TypeError(
      `settle() has no reason ${quote(reason)} of ${code}: there are ${reasons.join(', ')}`,
    );
  const body = { status: 'failed', failure: { code, reason } };
  return controlOperation(control, id, 'settle', problemText, body);
}

export const expireOperation = (control: SandboxControl, id: string): Promise<SandboxOperation> =>
  controlOperation(control, id, 'expire', 'has nothing that can expire', {});

async function controlOperation(
  control: SandboxControl,
  id: string,
  action: 'settle' | 'expire',
  problemText: string,
  body: object,
): Promise<SandboxOperation> {
  const target = await operationOf(control, action, id);
  try {
    return (await control.post(`operations/${target.id}/${action}`, body)) as SandboxOperation;
  } catch (error) {
    if (!(error instanceof ControlRefusal) || error.status !== 409) throw error;
    throw new UnmetError(`${titleOf(target)} ${problemText}: ${describeState(target)}.`, { cause: error });
  }
}

export const describeWait = (row: SandboxOperation): string => {
  const { reference } = row.operation;
  return `${titleOf(row)}${reference === undefined ? '' : `, reference ${quote(reference)}`}: ${describeState(row)}.`;
};

const titleOf = ({ id, operation: { type, method } }: SandboxOperation) => `The ${type} ${id} (${method})`;

function describeState({ operation: { status, failure }, waits_for: wait }: SandboxOperation): string {
  switch (wait?.kind) {
    case undefined:
      return `it is ${status}${failure === null ? '' : ` (${failure.code})`}`;
    case 'code':
      return 'it waits for its code: confirm it';
    case 'payment':
      return 'it waits for a payment: pay() it';
    default:
      return 'it waits for the bank: settle() it, or advance() the clock';
  }
}

async function operationOf(control: SandboxControl, method: string, id: string): Promise<SandboxOperation> {
  const path = `operations/${encodeURIComponent(checkId(method, 'an operation', id))}`;
  const message = `There is no operation ${JSON.stringify(id)} in this sandbox.`;
  return (await control.find(path, message)) as SandboxOperation;
}
