import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startSandbox } from '../soak/sandbox.js';
import { serving } from '../support/serving.js';
import type { Answered } from '../sandbox/support/answered.js';

interface How {
  readonly port?: number;
  readonly home?: string;
  readonly flags?: readonly string[];
}

type Served = Awaited<ReturnType<typeof serveProgram>>;

export function servedHere(how: How = {}): Served {
  let served: Served;
  beforeAll(async () => {
    served = await serveProgram(how);
  });
  afterAll(() => served.end());
  return new Proxy({} as Served, { get: (_none, name) => Reflect.get(served, name) as unknown });
}

export async function serveProgram({ port = 0, home, flags = [] }: How = {}) {
  const folder = home ?? mkdtempSync(join(tmpdir(), 'svc-page-'));
  const more = ['--port', String(port), '--allow-http-webhooks', ...flags];
  const server = await startSandbox(join(folder, 'sandbox.db'), folder, ...more);
  const ask = <T = Answered>(method: string, path: string, body?: object): Promise<T> =>
    fetch(server.base + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(path.startsWith('/_control') ? {} : { Authorization: `Bearer ${server.key}` }),
        ...(method === 'POST' ? { 'Idempotency-Key': crypto.randomUUID() } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).then((response) => response.json() as Promise<T>);
  const kill = async (): Promise<void> => {
    await server.stop('SIGKILL');
  };
  return {
    ...{ base: server.base, key: server.key, port: server.port, home: folder, ask, kill },
    end: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function listening(handle: Parameters<typeof serving>[0]): Promise<number> {
  const { port, stop } = await serving(handle);
  onTestFinished(stop);
  return port;
}

const PARTY = { document: { type: 'V', number: '12345678' }, bank_code: '0102' };

export function payinOf(method: string, reference: string): object {
  const payer = { ...PARTY, phone: '04121234567' };
  return { method, reference, country: 'VE', currency: 'VES', amount: '150.00', payer };
}

export function payoutOf(reference: string): object {
  const beneficiary = { ...PARTY, account_number: '01020000000000000001', name: 'Ana' };
  const where = { country: 'VE', currency: 'VES', amount: '10.00' };
  return { method: 'bank_transfer', reference, ...where, beneficiary };
}
