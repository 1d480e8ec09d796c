import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotAnswered, type HttpAnswer, type Transport } from '../../src/runtime/transport.js';
import { pageBody } from '../feed/feed.js';
import { eventText, uuid, type Told } from '../feed/given.js';
import { FEED_ENV, ok } from '../support/feed-line.js';
import type { Result, RunOptions, World } from '../support/svc.js';

export interface Paid {
  readonly number: number;
  readonly amount?: string;
  readonly reference?: string | null;
  readonly status?: 'confirmed' | 'failed';
  readonly data?: Readonly<Record<string, unknown>>;
}

export function paid({ number, amount, reference, status = 'confirmed', data }: Paid): string {
  const failure = { code: 'counterparty_rejected', reason: 'invalid_account', message: 'No such account.' };
  const told: Told = {
    number,
    type: `payout.${status}`,
    atMs: Date.parse('2026-09-01T12:00:00Z'),
    data: {
      ...{ status, amount: amount ?? `${number}.50`, reference: reference ?? `pay-${number}` },
      ...(reference === null ? { reference: null } : {}),
      ...{ failure: status === 'failed' ? failure : null, bank_reference: null },
      ...data,
    },
  };
  return eventText(told);
}

export const idOf = (number: number): string => uuid(number);

export function feed(
  events: readonly string[],
  spoil: (count: number, url: URL) => HttpAnswer | NotAnswered | undefined = () => undefined,
): Transport {
  let count = 0;
  return async ({ url }, { signal }) => {
    await Promise.resolve();
    if (signal?.aborted === true) throw new NotAnswered('aborted', false, 'stopped');
    count += 1;
    const spoilt = spoil(count, new URL(url));
    if (spoilt instanceof NotAnswered) throw spoilt;
    if (spoilt !== undefined) return spoilt;
    const { pathname, searchParams } = new URL(url);
    const [, id] = /\/v2\/transactions\/(.+)$/.exec(pathname) ?? [];
    if (id !== undefined) return ok(JSON.stringify({ id, status: 'confirmed' }));
    const at = Number(searchParams.get('cursor') ?? 0);
    const part = events.slice(at, at + 50);
    return ok(pageBody(part, part.length === 0 ? searchParams.get('cursor') : String(at + part.length)));
  };
}

export function ledger(home: World, rows: readonly string[], header = 'reference,amount'): string {
  const path = join(home.home, 'ledger.csv');
  writeFileSync(path, [header, ...rows].join('\n') + '\n');
  return path;
}

export function reconcile(
  home: World,
  transport: Transport,
  words: readonly string[],
  options: RunOptions = {},
): Promise<Result> {
  return home.svc(['reconcile', ...words], { ...options, env: { ...FEED_ENV, ...options.env }, transport });
}

export function linesOf({ stdout }: Pick<Result, 'stdout'>): {
  readonly findings: readonly Readonly<Record<string, unknown>>[];
  readonly summary: Readonly<Record<string, unknown>>;
} {
  const lines = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { findings: lines.slice(0, -1), summary: lines.at(-1) ?? {} };
}
