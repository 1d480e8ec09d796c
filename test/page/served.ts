/** The program serving a sandbox with its page, in a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { COMMAND, environment } from '../support/program.js';
import { serving } from '../support/serving.js';
import type { Answered } from '../sandbox/support/answered.js';

interface How {
  readonly port?: number;
  /** Of one before, with its store. */
  readonly home?: string;
  readonly flags?: readonly string[];
}

export type Served = Awaited<ReturnType<typeof serveProgram>>;

export async function serveProgram({ port = 0, home, flags = [] }: How = {}) {
  const folder = home ?? mkdtempSync(join(tmpdir(), 'svc-page-'));
  const [program, ...words] = COMMAND;
  const args = [
    ...words,
    ...['sandbox', 'start', '--port', String(port), '--store', join(folder, 'sandbox.db'), '--json'],
    ...['--allow-http-webhooks', ...flags],
  ];
  const child = spawn(program, args, { env: environment(folder), stdio: ['ignore', 'pipe', 'ignore'] });
  const ready = await readyOf(child);
  /** Of the control, or of the service with the key and an idempotency key of its own. */
  const ask = <T = Answered>(method: string, path: string, body?: object): Promise<T> =>
    fetch(ready.base_url + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(path.startsWith('/_control') ? {} : { Authorization: `Bearer ${ready.api_key}` }),
        ...(method === 'POST' ? { 'Idempotency-Key': crypto.randomUUID() } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).then((response) => response.json() as Promise<T>);
  /** As a machine does. */
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    ...{ base: ready.base_url, key: ready.api_key, home: folder, ask, kill },
    port: Number(new URL(ready.base_url).port),
    /** Kills it, and leaves nothing behind. */
    end: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readyOf(child: ChildProcess): Promise<{ base_url: string; api_key: string }> {
  let text = '';
  for await (const chunk of child.stdout!) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return JSON.parse(text) as { base_url: string; api_key: string };
}

/** The port of a server on loopback that ends with the test. */
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
