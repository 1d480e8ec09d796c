import type { ErrorEnvelope } from '../../contract/errors.js';
import { UnmetError } from './arguments.js';
import { controlRequest, type SandboxAnswer, type SandboxRequest } from '../message.js';

type ControlAnswer = Pick<SandboxAnswer, 'status' | 'body'>;

export type AskSandbox = (request: SandboxRequest) => ControlAnswer | Promise<ControlAnswer>;

export class ControlRefusal extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export type SandboxControl = ReturnType<typeof sandboxControl>;

export function sandboxControl(ask: AskSandbox) {
  const send = async (method: string, path: string, body: Uint8Array): Promise<unknown> =>
    readAnswer(await ask(controlRequest(method, path, body)), path.split('?', 1)[0] ?? '');
  const get = (path: string): Promise<unknown> => send('GET', path, new Uint8Array());
  return {
    get,
    find: async (path: string, message: string): Promise<unknown> => {
      try {
        return await get(path);
      } catch (error) {
        if (!(error instanceof ControlRefusal) || error.status !== 404) throw error;
        throw new UnmetError(message, { cause: error });
      }
    },
    post: (path: string, body: object) => send('POST', path, Buffer.from(JSON.stringify(body))),
  };
}

export function readAnswer({ status, body }: ControlAnswer, what: string): unknown {
  const value = JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
  if (status >= 200 && status < 300) return value;
  const { code = String(status), message = '', details = [] } = (value as Partial<ErrorEnvelope>).error ?? {};
  const otherDetails = details.filter(({ field }) => !message.includes(field));
  const fields = otherDetails.map((detail) => `${detail.field} (${detail.code})`).join(', ');
  throw new ControlRefusal(status, `${what}: ${message} [${code}]${fields === '' ? '' : `: ${fields}`}`);
}

export async function readList({ get }: SandboxControl, list: string, filter: object): Promise<unknown[]> {
  const query = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
  );
  const elements: unknown[] = [];
  for (let after: string | number | null = ''; after !== null;) {
    const cursor: [string, string][] = after === '' ? [] : [['after', String(after)]];
    const parameters = new URLSearchParams([...query, ...cursor, ['limit', '200']]);
    const page = (await get(`${list}?${parameters.toString()}`)) as Readonly<Record<string, unknown>>;
    elements.push(...(page[list] as unknown[]));
    after = page['next'] as string | number | null;
  }
  return elements;
}
