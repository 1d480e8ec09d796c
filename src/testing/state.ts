/** The state of a sandbox in this process: taken as a text, put back, and read from the file that a test begins with. */
import { readFileSync } from 'node:fs';
import { STATE_TARGET } from '../sandbox/state/document.js';
import type { Handler } from '../sandbox/message.js';
import { inWords } from './arguments.js';
import { answered, type SandboxControl } from './control.js';

export function takeState(handle: Handler): string {
  const answer = handle({
    method: 'GET',
    target: STATE_TARGET,
    headers: [['host', 'localhost']],
    body: new Uint8Array(),
  });
  const text = Buffer.from(answer.body).toString('utf8');
  if (answer.status !== 200) answered(answer, 'The state was not taken');
  return text;
}

/** @throws Refused with the lines and paths of what is wrong; nothing is changed then */
export function putState(handle: Handler, state: Uint8Array): void {
  const answer = handle({
    method: 'PUT',
    target: STATE_TARGET,
    headers: [['host', 'localhost']],
    body: state,
  });
  answered(answer, 'The state cannot be used. Nothing was changed');
}

/** @param method for a message @throws TypeError for what is no state at all */
export function stateBytes(method: string, state: unknown): Uint8Array {
  if (typeof state === 'string') return Buffer.from(state);
  if (typeof state === 'object' && state !== null && !Array.isArray(state))
    return Buffer.from(JSON.stringify(state));
  throw new TypeError(`${method}() takes what snapshot() resolved to, and not ${inWords(state)}`);
}

/** @param seed the path of a file or its URL, the text of a state, or its object @throws TypeError; the system's error */
export function seedBytes(seed: unknown): Uint8Array {
  if (seed instanceof URL) return readFileSync(seed);
  if (typeof seed === 'string') return /^\ufeff?\s*\{/.test(seed) ? Buffer.from(seed) : readFileSync(seed);
  if (typeof seed === 'object' && seed !== null && !Array.isArray(seed))
    return Buffer.from(JSON.stringify(seed));
  throw new TypeError(`seed is the path of a state, its text, or its object, and not ${inWords(seed)}`);
}

/** The URLs to which events are sent now. */
export function activeUrls({ get }: Pick<SandboxControl, 'get'>): ReadonlySet<string> {
  const { companies } = get('companies') as {
    companies: { webhooks: { url: string; replaced_at: string | null }[] }[];
  };
  const all = companies.flatMap(({ webhooks }) => webhooks);
  return new Set(all.filter((one) => one.replaced_at === null).map(({ url }) => url));
}
