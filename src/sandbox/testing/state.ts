import { readFileSync } from 'node:fs';
import { isObject } from '../../contract/shape.js';
import { controlRequest } from '../message.js';
import { STATE_TARGET } from '../control/call.js';
import { loadStateReader } from '../control/state.js';
import { quote } from './arguments.js';
import { type AskSandbox, readAnswer, type SandboxControl } from './control.js';

export async function exportState(ask: AskSandbox): Promise<string> {
  const answer = await ask(controlRequest('GET', 'state', new Uint8Array()));
  const text = Buffer.from(answer.body).toString('utf8');
  if (answer.status !== 200) readAnswer(answer, 'The state was not taken');
  return text;
}

export async function importState(
  ask: AskSandbox,
  state: Uint8Array,
  target = STATE_TARGET,
): Promise<string> {
  await loadStateReader();
  const answer = await ask({ ...controlRequest('PUT', '', state), target });
  const result = readAnswer(answer, 'The state cannot be used. Nothing was changed');
  return (result as { api_key: string }).api_key;
}

export function stateBytes(method: string, state: unknown): Uint8Array {
  if (typeof state === 'string') return Buffer.from(state);
  if (isObject(state)) return Buffer.from(JSON.stringify(state));
  throw new TypeError(`${method}() takes what snapshot() resolved to, and not ${quote(state)}`);
}

export function seedBytes(seed: unknown): Uint8Array {
  if (seed instanceof URL) return readFileSync(seed);
  if (typeof seed === 'string') return /^\ufeff?\s*\{/.test(seed) ? Buffer.from(seed) : readFileSync(seed);
  if (isObject(seed)) return Buffer.from(JSON.stringify(seed));
  throw new TypeError(`seed is the path of a state, its text, or its object, and not ${quote(seed)}`);
}

export async function activeUrls({ get }: Pick<SandboxControl, 'get'>): Promise<ReadonlySet<string>> {
  const { companies } = (await get('companies')) as {
    companies: { webhooks: { url: string; replaced_at: string | null }[] }[];
  };
  const registrations = companies.flatMap(({ webhooks }) => webhooks);
  return new Set(registrations.filter((one) => one.replaced_at === null).map(({ url }) => url));
}
