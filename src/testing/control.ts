/** The control of a test's sandbox: a question, and its answer or an error that says what was wrong. */

interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

interface Said {
  readonly status: number;
  readonly body: Uint8Array;
}

/** One request to the sandbox. In this process it is carried out before it returns; by an exam it comes over the network. */
export type AskSandbox = (request: Asked) => Said | Promise<Said>;

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

export type SandboxControl = ReturnType<typeof sandboxControl>;

export function sandboxControl(ask: AskSandbox) {
  const send = async (method: string, path: string, body: Uint8Array): Promise<unknown> =>
    answered(
      await ask({ method, target: `/_control/${path}`, headers: [['host', 'localhost']], body }),
      path.split('?', 1)[0] ?? '',
    );
  const get = (path: string): Promise<unknown> => send('GET', path, new Uint8Array());
  return {
    /** @param path below `/_control/` @throws Refused */
    get,
    /** What is there. @throws Error with `missing` where nothing is; Refused */
    find: async (path: string, missing: string): Promise<unknown> => {
      try {
        return await get(path);
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 404) throw error;
        throw new Error(missing, { cause: error });
      }
    },
    /** @throws Refused */
    post: (path: string, body: object): Promise<unknown> =>
      send('POST', path, Buffer.from(JSON.stringify(body))),
  };
}

/** The JSON of a success. @param what was asked for @throws Refused */
export function answered({ status, body }: Said, what: string): unknown {
  const value = JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
  if (status >= 200 && status < 300) return value;
  const { code = String(status), message = '', details = [] } = (value as Envelope).error ?? {};
  // A message that says what is accepted names its fields.
  const unnamed = details.filter(({ field }) => !message.includes(field));
  const fields = unnamed.map((detail) => `${detail.field} (${detail.code})`).join(', ');
  throw new Refused(status, `${what}: ${message} [${code}]${fields === '' ? '' : `: ${fields}`}`);
}

/** Every element of a list that comes in pages. */
export async function everyPage({ get }: SandboxControl, list: string, filter: object): Promise<unknown[]> {
  const query = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
  );
  const all: unknown[] = [];
  for (let after: string | number | null = ''; after !== null;) {
    const from: [string, string][] = after === '' ? [] : [['after', String(after)]];
    const asked = new URLSearchParams([...query, ...from, ['limit', '200']]);
    const page = (await get(`${list}?${asked.toString()}`)) as Readonly<Record<string, unknown>>;
    all.push(...(page[list] as unknown[]));
    after = page['next'] as string | number | null;
  }
  return all;
}
