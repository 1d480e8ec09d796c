import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isoSeconds } from '../../../src/runtime/clock.js';
import { serving } from '../../support/serving.js';
import { BANKS, CATALOG } from '../../batches/simulation/catalog.js';

export interface PaidOperation {
  readonly id: string;
  readonly reference: string;
  readonly amount: string;
  readonly createdAt: string;
}

/** With `never` nothing is answered, and the client is killed. */
export const SPOILT = ['drop-before', 'drop-after', '503', '429', 'garbage'] as const;
export type PostFate = (typeof SPOILT)[number] | 'paid' | 'never' | 'paid, never answered';

export interface LedgerWatch {
  sent(reference: string, key: string): void;
  paid(operation: PaidOperation): void;
}

class Manner {
  onPost: ((post: Pick<PaidOperation, 'reference'>) => PostFate | Promise<PostFate>) | null = null;
  watch: LedgerWatch | null = null;
  retryAfter = 0;
  delayMs = 0;
  aheadMs = 0;
  saysDate = true;
}

export type LedgerService = Awaited<ReturnType<typeof openLedger>>;

const PAGE = 200;
const json = { 'content-type': 'application/json' };

export async function openLedger() {
  const ledger = new Manner();
  const paid: PaidOperation[] = [];
  const byId = new Map<string, PaidOperation>();
  const keys = new Map<string, PaidOperation>();
  let posts = 0;
  const answer = (response: ServerResponse, status: number, value: object, headers = {}): void => {
    response.sendDate = ledger.saysDate;
    response.writeHead(status, { ...json, ...headers }).end(JSON.stringify(value));
  };
  const pay = (key: string, text: string): PaidOperation => {
    const known = keys.get(key);
    if (known !== undefined) return known;
    const { reference, amount } = JSON.parse(text) as { reference: string; amount: string };
    const id = `6f1c2a9e-3b4d-4c5e-8f70-${String(paid.length).padStart(12, '0')}`;
    const operation = { id, reference, amount, createdAt: isoSeconds(Date.now() + ledger.aheadMs) };
    paid.push(operation);
    byId.set(id, operation);
    keys.set(key, operation);
    ledger.watch?.paid(operation);
    return operation;
  };
  const post = async (key: string, text: string, response: ServerResponse): Promise<void> => {
    posts += 1;
    // A request that only asks if a key is known pays nothing.
    if (text === '{}') {
      if (keys.has(key)) answer(response, 409, envelope('idempotency_key_reused'));
      else answer(response, 400, envelope('field_invalid'));
      return;
    }
    const { reference } = JSON.parse(text) as { reference: string };
    ledger.watch?.sent(reference, key);
    const fate = (await ledger.onPost?.({ reference })) ?? 'paid';
    if (ledger.delayMs > 0) await setTimeout(ledger.delayMs);
    if (fate === 'never') return;
    if (fate === 'drop-before') return void response.destroy();
    if (fate === '503' || fate === '429') {
      const code = fate === '503' ? 'temporarily_unavailable' : 'rate_limited';
      answer(response, Number(fate), envelope(code), { 'retry-after': String(ledger.retryAfter) });
      return;
    }
    const operation = pay(key, text);
    if (fate === 'paid, never answered') return;
    if (fate === 'drop-after') return void response.destroy();
    if (fate === 'garbage') return void response.writeHead(201).end('<html>');
    answer(response, 201, told(operation));
  };
  const read = (noun: string, id: string | undefined, query: URLSearchParams): [number, object] => {
    if (noun === 'capabilities') return [200, CATALOG];
    if (noun === 'banks') return [200, BANKS];
    if (noun === 'balances') return [200, { balances: [] }];
    if (id === undefined) return [200, pageOf(paid, query)];
    const operation = byId.get(id);
    return operation === undefined ? [404, envelope('not_found')] : [200, told(operation)];
  };
  const { server, port, url, stop } = await serving((request, response, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://ledger');
    const [, , , noun = '', id] = pathname.split('/');
    const key = String(request.headers['idempotency-key']);
    if (request.method === 'POST') return void post(key, body.toString(), response);
    answer(response, ...read(noun, id, searchParams));
  });
  server.keepAliveTimeout = 60_000;
  return Object.assign(ledger, {
    ...{ url, port },
    paid: paid,
    posts: () => posts,
    forget: (isMeant: (reference: string) => boolean = () => true) => {
      for (const [key, { reference }] of keys) if (isMeant(reference)) keys.delete(key);
    },
    close: stop,
  });
}

function pageOf(paid: readonly PaidOperation[], query: URLSearchParams): object {
  const from = Number(query.get('cursor') ?? 0);
  const page = paid.slice(from, from + Math.min(PAGE, Number(query.get('limit') ?? 50)));
  const events = page.map((operation) => ({
    ...{ id: `evt-${operation.id}`, type: 'payout.confirmed', occurred_at: operation.createdAt },
    data: told(operation),
  }));
  const next = from + page.length;
  return { events, next_cursor: next === 0 ? null : String(next) };
}

function told({ id, reference, amount, createdAt }: PaidOperation): object {
  return {
    ...{ id, type: 'payout', country: 'VE', currency: 'VES', method: 'mobile_payment', amount, reference },
    ...{ status: 'confirmed', pending_reason: null, failure: null, concept: 'Pago ABC123456' },
    ...{ created_at: createdAt, confirmed_at: createdAt },
  };
}

function envelope(code: string): object {
  return { error: { code, message: code } };
}
