import { openSandbox, type Sandbox } from '../../../src/sandbox/sandbox.js';
import type { SandboxRequest } from '../../../src/sandbox/message.js';
import type { Answered } from '../support/answered.js';
import { fakeClock } from '../support/clock.js';
import { seededRandom } from '../support/random.js';

export function opened(store = ':memory:', seed?: string, clock = fakeClock()): Sandbox {
  return openSandbox({ store, clock, random: seededRandom(seed), allowHttpWebhooks: true });
}

const document = { type: 'V', number: '12345678' };
export const PAYOUT = {
  ...{ amount: '10.50', country: 'VE', currency: 'VES', method: 'mobile_payment' },
  beneficiary: { bank_code: '0102', account_number: '04121234567', document },
};

export function requestOf(
  key: string,
  method: string,
  target: string,
  body?: unknown,
  idempotencyKey?: string,
): SandboxRequest {
  const headers: [string, string][] = [
    ['Host', 'localhost'],
    ['Authorization', `Bearer ${key}`],
  ];
  if (idempotencyKey !== undefined) headers.push(['Idempotency-Key', idempotencyKey]);
  return { method, target, headers, body: Buffer.from(body === undefined ? '' : JSON.stringify(body)) };
}

export function ask(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  idempotencyKey?: string,
): { status: number; json: Answered; text: string } {
  const target = path.startsWith('/_control') ? path : `/sandbox${path}`;
  const answer = sandbox.handle(requestOf(sandbox.apiKey, method, target, body, idempotencyKey));
  const text = Buffer.from(answer.body).toString('utf8');
  return { status: answer.status, json: JSON.parse(text) as Answered, text };
}
