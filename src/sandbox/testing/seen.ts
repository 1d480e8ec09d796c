import { escapeText } from '../../output/escape.js';
import { isRefused, refusedLine } from '../log/refused.js';
import type { SandboxControl } from './control.js';
import { describeWait } from './operations.js';
import type { DeliveryRow, LoggedRequest, SandboxOperation } from './types.js';

const SHOWN_MAX = 5;

/** Leaves out operations and deliveries whose ids are in `message` already. */
export async function describeSandbox(
  control: SandboxControl,
  ownRequests: ReadonlySet<number>,
  message: string,
): Promise<string> {
  const read = async <T>(list: string, query: string): Promise<T[]> =>
    ((await control.get(`${list}${query}`)) as Readonly<Record<string, T[]>>)[list] ?? [];
  const limitQuery = `limit=${String(SHOWN_MAX + 1)}`;
  const requests = await read<LoggedRequest>('requests', '?before=newest&limit=200');
  const refusal = requests.find((request) => isRefused(request) && !ownRequests.has(request.id));
  const isUnmentioned = ({ id }: { readonly id: string }): boolean => !message.includes(id);
  const operations = await read<SandboxOperation>('operations', `?waits=true&${limitQuery}`);
  const deliveries = await read<DeliveryRow>('deliveries', `?status=pending&${limitQuery}`);
  const faults = await read<FaultRow>('faults', '');
  const lines = [
    ...(refusal === undefined ? [] : [`The last refused request: ${refusedLine(refusal)}`]),
    ...firstLines(operations.filter(isUnmentioned), 'operations', describeWait),
    ...firstLines(deliveries.filter(isUnmentioned), 'deliveries', describeDelivery),
    ...firstLines(faults, 'faults', describeFault),
  ];
  return lines.map((line) => `\n${escapeText(line)}`).join('');
}

const firstLines = <T>(rows: readonly T[], plural: string, lineOf: (row: T) => string): string[] => [
  ...rows.slice(0, SHOWN_MAX).map(lineOf),
  ...(rows.length > SHOWN_MAX ? [`More ${plural} wait.`] : []),
];

function describeDelivery({ id, type, url, attempts, next_attempt_at: next, fault }: DeliveryRow): string {
  const lastAttempt = attempts.at(-1);
  const result =
    lastAttempt === undefined
      ? 'not tried yet'
      : (lastAttempt.error ?? `answered ${String(lastAttempt.status)}`);
  const schedule = next === null ? (fault ?? 'held') : `next attempt at ${next}`;
  return `The delivery ${id} (${type} to ${url}) waits: ${result}, ${schedule}.`;
}

type FaultRow = Readonly<Record<'route' | 'kind' | 'delivery', string | undefined>> & {
  readonly status?: number;
  readonly remaining: number;
};

function describeFault({ route, kind, delivery, status, remaining }: FaultRow): string {
  const what = delivery === undefined ? `${String(route)} ${String(kind)}` : `of deliveries, ${delivery}`;
  return `The fault ${what}${status === undefined ? '' : ` ${String(status)}`} is armed (${String(remaining)} left).`;
}
