import { parseJson, withoutByteOrderMark } from '../../contract/json.js';
import { isFinal } from '../../contract/operation.js';
import { bytesOf, walkFeed } from '../../feed/walk.js';
import { selectionOf } from '../../feed/follow.js';
import { readAddress } from '../../session/target.js';
import type { Ports } from '../../runtime/ports.js';
import { type Run, type SessionRun, inSession } from '../../command/command.js';
import { readEndpoint } from '../../command/read.js';
import { throwUsage } from '../../command/call.js';
import { eventSource } from '../../feed/event-source.js';
import { printerOfAnything } from '../../command/printer.js';
import type { Session } from '../../session/session.js';

export async function traceOperation(run: Run, id: string): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags, 'timeline', {
    render: async () => (await import('../view.js')).renderPaymentList,
  });
  const sessionRun = await inSession(run);
  const body = await readEndpoint('transactions.get', { id }, sessionRun).catch(throwUsage);
  const operation = parse(body);
  const mayHaveEvent = isFinal(String(operation['status']));
  const events = mayHaveEvent ? await eventsOf(sessionRun, id) : [];
  const deliveries = events.length === 0 ? [] : await deliveriesOf(sessionRun.session, ports, events);
  const timeline = timelineOf(operation, events, deliveries);
  const tail = `,"timeline":${JSON.stringify(timeline)}}`;
  await printer.answer(
    Buffer.concat([Buffer.from('{"operation":'), withoutByteOrderMark(body), Buffer.from(tail)]),
  );
}

/** The walk ends at the first page with a match, because an operation has only one event (contract section 6). */
async function eventsOf(run: SessionRun, id: string): Promise<Members[]> {
  const { clock, signal } = run.ports;
  const fetch = eventSource(run, { isPatient: false });
  const isOfOperation = selectionOf({ types: [], operationId: id });
  const walk = walkFeed({ fetch, from: null, follows: false, intervalMs: 0, clock, signal });
  for await (const { page } of walk) {
    const matches = page.events.filter((event) => isOfOperation?.(page, event) === true);
    if (matches.length > 0) return matches.map((event) => parse(bytesOf(page, event)));
  }
  return [];
}

async function deliveriesOf(session: Session, ports: Ports, events: readonly Members[]): Promise<Members[]> {
  if (!isSandboxHere(session)) return [];
  const { origin, transport } = session.connection;
  try {
    const url = `${origin}/_control/deliveries`;
    const request = { method: 'GET', url, headers: { accept: 'application/json' }, body: null };
    const { status, body } = await transport(request, { timeoutMs: 10_000, signal: ports.signal });
    const { deliveries } = status === 200 ? parse(body) : {};
    const ids = new Set(events.map((event) => event['id']));
    const allDeliveries = Array.isArray(deliveries) ? (deliveries as Members[]) : [];
    return allDeliveries.filter((delivery) => ids.has(delivery['event_id']));
  } catch {
    ports.signal.throwIfAborted();
    return [];
  }
}

function isSandboxHere({ target }: Session): boolean {
  if (target.environment !== 'sandbox') return false;
  return target.kind === 'embedded' || readAddress(target.baseUrl, 'The address').isLoopback;
}

function parse(bytes: Uint8Array): Members {
  return parseJson(bytes) as Members;
}

export interface TimelineEntry {
  readonly at: string;
  readonly what: 'state' | 'event' | 'delivery';
  readonly outcome: string;
  readonly detail: string;
}

export type Members = Readonly<Record<string, unknown>>;

export function timelineOf(
  operation: Members,
  events: readonly Members[],
  deliveries: readonly Members[],
): TimelineEntry[] {
  const entries = [
    ...statesOf(operation),
    ...events.map((event): TimelineEntry => ({
      at: textOf(event['occurred_at']),
      what: 'event',
      outcome: textOf(event['type']),
      detail: textOf(event['id']),
    })),
    ...deliveries.flatMap(attemptsOf),
  ];
  return entries.sort((a, b) => compare(a.at === '' ? '~' : a.at, b.at === '' ? '~' : b.at));
}

function statesOf(operation: Members): TimelineEntry[] {
  const status = textOf(operation['status']);
  const hasEnded = isFinal(status);
  const creation: TimelineEntry = {
    at: textOf(operation['created_at']),
    what: 'state',
    outcome: hasEnded ? 'created' : status,
    detail: hasEnded ? '' : textOf(operation['pending_reason']),
  };
  if (!hasEnded) return [creation];
  const { code, reason } = (operation['failure'] ?? {}) as Members;
  const at = textOf(operation['confirmed_at']) || textOf(operation['updated_at']);
  const detail =
    status === 'confirmed'
      ? textOf(operation['bank_reference'])
      : [textOf(code), textOf(reason)].filter((part) => part !== '').join(' / ');
  return [creation, { at, what: 'state', outcome: status, detail }];
}

function attemptsOf(delivery: Members): TimelineEntry[] {
  const attempts = Array.isArray(delivery['attempts']) ? (delivery['attempts'] as Members[]) : [];
  return attempts.map(({ at, status, error }) => ({
    at: textOf(at),
    what: 'delivery',
    outcome: typeof status === 'number' ? String(status) : textOf(error),
    detail: textOf(delivery['url']),
  }));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
