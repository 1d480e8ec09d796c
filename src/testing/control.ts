/** The control of a sandbox in this process: a question, and its answer or an error that says what was wrong; and the payment that a pay-in waits for. */
import type { Handler } from '../sandbox/message.js';
import type { DifferingPayment, SandboxOperation } from './types.js';

interface SandboxControl {
  /** @param path below `/_control/` @throws Refused */
  readonly get: (path: string) => unknown;
  /** @throws Refused */
  readonly post: (path: string, body: object) => unknown;
}

/** The sandbox did not do it. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

interface Envelope {
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly { readonly field: string; readonly code: string }[];
  };
}

export function sandboxControl(handle: Handler): SandboxControl {
  const ask = (method: string, path: string, body: Uint8Array): unknown =>
    answered(
      handle({ method, target: `/_control/${path}`, headers: [['host', 'localhost']], body }),
      path.split('?', 1)[0] ?? '',
    );
  return {
    get: (path) => ask('GET', path, new Uint8Array()),
    post: (path, body) => ask('POST', path, Buffer.from(JSON.stringify(body))),
  };
}

/** The JSON of a success. @param what was asked for @throws Refused */
export function answered(
  { status, body }: { readonly status: number; readonly body: Uint8Array },
  what: string,
): unknown {
  const value = JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
  if (status >= 200 && status < 300) return value;
  const { code = String(status), message = '', details = [] } = (value as Envelope).error ?? {};
  const fields = details.map((detail) => `${detail.field} (${detail.code})`).join(', ');
  throw new Refused(status, `${what}: ${message} [${code}]${fields === '' ? '' : `: ${fields}`}`);
}

/** Every element of a list that comes in pages. */
export function everyPage({ get }: SandboxControl, list: string, filter: object): unknown[] {
  const query = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
  );
  const all: unknown[] = [];
  for (let after: string | number | null = ''; after !== null;) {
    const from: [string, string][] = after === '' ? [] : [['after', String(after)]];
    const asked = new URLSearchParams([...query, ...from, ['limit', '200']]);
    const page = get(`${list}?${asked.toString()}`) as Readonly<Record<string, unknown>>;
    all.push(...(page[list] as unknown[]));
    after = page['next'] as string | number | null;
  }
  return all;
}

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
