/** What a test does with one operation: the payer's money arrives, the bank answers, its window ends; and why that can't be. */
import { FAILURES } from '../contract/failures.js';
import { idIn, refuseOthers, inWords } from './arguments.js';
import { Refused, type SandboxControl } from './control.js';
import type { DifferingPayment, FailureToMake, PayOptions, SandboxOperation } from './types.js';

const PAYMENT = ['method', 'currency', 'amount', 'bank_code', 'phone', 'document'];

/** @throws Error where the operation waits for no payment, or with `exact` where another pay-in would get it: nothing is paid then */
export async function payFor(
  control: SandboxControl,
  id: string,
  differing: DifferingPayment,
  options: PayOptions,
): Promise<SandboxOperation | null> {
  refuseOthers('pay', differing, PAYMENT);
  refuseOthers('pay', options, ['exact']);
  const waiting = await operationOf(control, 'pay', id);
  const { waits_for: waits } = waiting;
  if (waits?.kind !== 'payment')
    throw new Error(`${titleOf(waiting)} waits for no payment: ${why(waiting)}.`);
  if (options.exact === true) refuseAnother(waiting, differing);
  const { attributed_to: to } = (await control.post('payments', { ...differing, for: id })) as {
    attributed_to: string | null;
  };
  return to === null ? null : operationOf(control, 'pay', to);
}

/** Money goes to the oldest pay-in that it fits, so another one may stand before the one that is meant. */
function refuseAnother(
  { id, operation, waits_for: waits }: SandboxOperation,
  differing: DifferingPayment,
): void {
  const awaited: DifferingPayment = waits?.payment ?? {};
  const other = Object.entries(differing).find(
    ([name, value]) => inWords(value) !== inWords(awaited[name as keyof DifferingPayment]),
  );
  const first = waits?.paid_first ?? null;
  if (other !== undefined)
    throw new Error(
      `Nothing was paid: the pay-in ${id} (${operation.method}) does not wait for ${other[0]} ${inWords(other[1])}.`,
    );
  if (first !== null)
    throw new Error(
      `Nothing was paid: the pay-in ${first.id} is older than ${id} and waits for the same, so it would get the money. Pay or cancel it first, or give the two different amounts.`,
    );
}

/** @throws Error where it waits for no bank */
export function settleOperation(
  control: SandboxControl,
  id: string,
  failure?: FailureToMake,
): Promise<SandboxOperation> {
  return step(control, id, 'settle', 'waits for no answer of the bank', verdictOf(failure));
}

/** @throws Error where nothing of it can end */
export function expireOperation(control: SandboxControl, id: string): Promise<SandboxOperation> {
  return step(control, id, 'expire', 'has nothing that can expire', {});
}

function verdictOf(failure: FailureToMake | undefined): object {
  if (failure === undefined) return { status: 'confirmed' };
  refuseOthers('settle', failure, ['code', 'reason']);
  const { code } = failure;
  if (!Object.hasOwn(FAILURES, code))
    throw new TypeError(
      `settle() has no failure code ${inWords(code)}: there are ${Object.keys(FAILURES).join(', ')}`,
    );
  const { reasons } = FAILURES[code];
  const { reason = reasons[0] } = failure;
  if (!reasons.some((known) => known === reason))
    throw new TypeError(
      `settle() has no reason ${inWords(reason)} of ${code}: there are ${reasons.join(', ')}`,
    );
  return { status: 'failed', failure: { code, reason } };
}

async function step(
  control: SandboxControl,
  id: string,
  lever: 'settle' | 'expire',
  notSo: string,
  body: object,
): Promise<SandboxOperation> {
  const before = await operationOf(control, lever, id);
  try {
    return (await control.post(`operations/${before.id}/${lever}`, body)) as SandboxOperation;
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) throw error;
    throw new Error(`${titleOf(before)} ${notSo}: ${why(before)}.`, { cause: error });
  }
}

function titleOf({ id, operation: { type, method } }: SandboxOperation): string {
  return `The ${type} ${id} (${method})`;
}

/** How it stands. */
function why({ operation: { status, failure }, waits_for: waits }: SandboxOperation): string {
  switch (waits?.kind) {
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
  const path = `operations/${encodeURIComponent(idIn(method, 'an operation', id))}`;
  const missing = `There is no operation ${JSON.stringify(id)} in this sandbox.`;
  return (await control.find(path, missing)) as SandboxOperation;
}
