/** Lets the payment arrive that a pay-in waits for, and says why where it waits for none. */
import { Refused, type SandboxControl } from './control.js';
import type { DifferingPayment, SandboxOperation } from './rows.js';

/** @throws Error where the operation waits for no payment */
export function payFor(
  control: SandboxControl,
  id: string,
  differing: DifferingPayment,
): SandboxOperation | null {
  const { operation, waits_for: waits } = operationOf(control, id);
  const { method, type, status, failure } = operation;
  if (waits?.kind !== 'payment') {
    const why =
      waits === null
        ? `it is ${status}${failure === null ? '' : ` (${failure.code})`}`
        : waits.kind === 'code'
          ? 'it waits for its code: confirm it'
          : 'it waits for the bank';
    throw new Error(`The ${type} ${id} (${method}) waits for no payment: ${why}.`);
  }
  const { attributed_to: to } = control.post('payments', { ...differing, for: id }) as {
    attributed_to: string | null;
  };
  return to === null ? null : operationOf(control, to);
}

function operationOf(control: SandboxControl, id: string): SandboxOperation {
  try {
    return control.get(`operations/${encodeURIComponent(id)}`) as SandboxOperation;
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    throw new Error(`There is no operation ${JSON.stringify(id)} in this sandbox.`, { cause: error });
  }
}
