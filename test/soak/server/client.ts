import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Answered } from '../../sandbox/support/answered.js';

export interface Created {
  readonly key: string;
  readonly id: string;
  readonly type: string;
  readonly amount: string;
}

const agent = new Agent({ keepAlive: true });

export async function exchange(
  port: number,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<{ status: number; json: Answered }> {
  const outgoing = request({ agent, host: '127.0.0.1', port, method, path, headers });
  outgoing.on('error', () => undefined);
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const answer = (await json(incoming)) as Answered;
  return { status: incoming.statusCode ?? 0, json: answer };
}

const DOCUMENT = { type: 'V', number: '12345678' };

function bodyOf(number: number): { path: string; body: object } {
  const amount = `${String((number % 90) + 1)}.${String(number % 9)}5`;
  const common = { amount, country: 'VE', currency: 'VES' };
  const party = { document: DOCUMENT, bank_code: '0102' };
  if (number % 3 === 2) {
    const payer = { ...party, account_number: '01020123456789012345', name: 'Ana' };
    return { path: '/sandbox/v2/payins', body: { ...common, method: 'direct_debit', payer } };
  }
  const beneficiary = { ...party, account_number: '04121234567' };
  return { path: '/sandbox/v2/payouts', body: { ...common, method: 'mobile_payment', beneficiary } };
}

export interface Server {
  readonly port: number;
  readonly key: string;
}

const CLIENTS = 8;

export function startClients(server: () => Promise<Server>) {
  const created: Created[] = [];
  let [isOver, isAbandoned] = [false, false];
  let [awaited, reached] = [Infinity, (): void => undefined];

  const createOne = async (key: string, number: number): Promise<void> => {
    const { path, body } = bodyOf(number);
    while (!isAbandoned) {
      const { port, key: bearer } = await server();
      const headers = { Authorization: `Bearer ${bearer}`, 'Idempotency-Key': key };
      const answer = await exchange(port, 'POST', path, headers, body).catch(() => null);
      if (answer === null) continue;
      if (answer.status !== 201) throw new Error(`${path} answered ${String(answer.status)}`);
      const { id, type, amount } = answer.json;
      created.push({ key, id, type, amount });
      if (created.length === awaited) reached();
      return;
    }
  };
  const work = async (client: number): Promise<void> => {
    for (let number = 0; !isOver; number += 1)
      await createOne(`client-${String(client)}-create-${String(number)}`, number);
  };

  const all = Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)));
  const broken = new Promise<never>((_, reject) => {
    all.catch(reject);
  });
  broken.catch(() => undefined);
  return {
    created,
    answers: (count: number): Promise<void> =>
      new Promise((resolve) => ([awaited, reached] = [created.length + count, resolve])),
    broken,
    stop: async () => {
      isOver = true;
      await all;
    },
    abandon: () => void ([isOver, isAbandoned] = [true, true]),
  };
}
