/** The log of requests: in pages, live from where a reader is; and one with both its sides. */
import { isoSeconds } from '../../runtime/clock.js';
import type { Logged } from '../log/logged.js';
import type { RequestFilter, RequestRow } from '../store/requests.js';
import { invalid, type ControlHandler, pageOf, askedPage } from './call.js';

const ID = /^(?:0|[1-9][0-9]{0,14})$/;
const numberOf = (id: string): number | null => (ID.test(id) ? Number(id) : null);

export const listsRequests: ControlHandler = (call) => {
  const asked = askedPage(call, ['status', 'method', 'path'], numberOf);
  if ('refusal' in asked) return asked;
  const { values, from, limit } = asked;
  const status = values.status === undefined ? null : statusOf(values.status);
  if (status === undefined) return invalid([{ field: 'status', code: 'invalid' }]);
  const { log, store } = call.world;
  log.write();
  const filter = { status, method: values.method?.toUpperCase() ?? null, path: values.path ?? null };
  const page = pageOf(store.requests.page(from, filter, limit + 1), limit, ({ id }) => id);
  return JSON.stringify({ requests: page.elements.map(shown), next: page.next });
};

/** `404`, `4xx`, or `cut`; undefined for anything else. */
function statusOf(text: string): RequestFilter['status'] | undefined {
  if (text === 'cut') return 'cut';
  const [, first, rest] = /^([1-5])(xx|[0-9]{2})$/.exec(text) ?? [];
  if (first === undefined) return undefined;
  return rest === 'xx' ? [Number(first) * 100, Number(first) * 100 + 99] : [Number(text), Number(text)];
}

export const showsRequest: ControlHandler = ({ world, id }) => {
  world.log.write();
  const number = numberOf(id);
  const found = number === null ? undefined : world.store.requests.find(number);
  if (found === undefined) return { refusal: 'not_found' };
  const { request, answer } = found;
  const head = JSON.stringify(shown(found)).slice(0, -1);
  return `${head},"request":${request},"answer":${answer}}`;
};

function shown(row: RequestRow): Logged {
  return {
    id: row.id,
    at: isoSeconds(row.at),
    wall_at: new Date(row.wall_at).toISOString(),
    method: row.method,
    path: row.path,
    endpoint: row.endpoint,
    company: row.company,
    status: row.status,
    ms: row.ms,
    idempotency_key: row.idempotency_key,
    replayed: row.replayed,
    fault: row.fault,
    refused: row.refused,
  };
}
