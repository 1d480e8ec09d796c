export interface TimelineEntry {
  readonly at: string;
  readonly what: 'state' | 'event' | 'delivery';
  readonly outcome: string;
  readonly detail: string;
}

export type EventFields = Readonly<Record<string, unknown>>;

export function timelineOf(
  operation: EventFields,
  events: readonly EventFields[],
  deliveries: readonly EventFields[],
): TimelineEntry[] {
  const entries = [
    ...statesOf(operation),
    ...events.map((event): TimelineEntry => ({
      at: text(event['occurred_at']),
      what: 'event',
      outcome: text(event['type']),
      detail: text(event['id']),
    })),
    ...deliveries.flatMap(attemptsOf),
  ];
  return entries.sort((a, b) => compare(a.at === '' ? '~' : a.at, b.at === '' ? '~' : b.at));
}

function statesOf(operation: EventFields): TimelineEntry[] {
  const status = text(operation['status']);
  const isFinal = status === 'confirmed' || status === 'failed';
  const created: TimelineEntry = {
    at: text(operation['created_at']),
    what: 'state',
    outcome: isFinal ? 'created' : status,
    detail: isFinal ? '' : text(operation['pending_reason']),
  };
  if (!isFinal) return [created];
  const { code, reason } = (operation['failure'] ?? {}) as EventFields;
  const at = text(operation['confirmed_at']) || text(operation['updated_at']);
  const detail =
    status === 'confirmed'
      ? text(operation['bank_reference'])
      : [text(code), text(reason)].filter((part) => part !== '').join(' / ');
  return [created, { at, what: 'state', outcome: status, detail }];
}

function attemptsOf(delivery: EventFields): TimelineEntry[] {
  const attempts = Array.isArray(delivery['attempts']) ? (delivery['attempts'] as EventFields[]) : [];
  return attempts.map(({ at, status, error }) => ({
    at: text(at),
    what: 'delivery',
    outcome: typeof status === 'number' ? String(status) : text(error),
    detail: text(delivery['url']),
  }));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
