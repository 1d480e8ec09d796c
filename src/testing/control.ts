/** The control of a sandbox in this process: a question, and its answer or an error that says what was wrong. */
import type { Handler } from '../sandbox/message.js';

export interface SandboxControl {
  /** @param path below `/_control/` @throws Refused */
  readonly get: (path: string) => unknown;
  /** What is there. @throws Error with `missing` where nothing is; Refused */
  readonly find: (path: string, missing: string) => unknown;
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
  const get = (path: string): unknown => ask('GET', path, new Uint8Array());
  return {
    get,
    find: (path, missing) => {
      try {
        return get(path);
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 404) throw error;
        throw new Error(missing, { cause: error });
      }
    },
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
  // A message that says what is accepted names its fields.
  const unnamed = details.filter(({ field }) => !message.includes(field));
  const fields = unnamed.map((detail) => `${detail.field} (${detail.code})`).join(', ');
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
