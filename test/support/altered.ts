/** A line on which somebody in between changes answers: mixes them up, or puts something before them. */
import type { HttpAnswer, Transport } from '../../src/runtime/transport.js';

/** The id of an operation that nobody asked for. */
export const ANOTHER = 'ffffffff-0000-4000-8000-000000000001';

type Members = Readonly<Record<string, unknown>>;

/**
 * Successes whose `METHOD /path` fits say what `change` makes of them; the service has carried out what it was asked.
 * @param which such as `GET /v2/payouts/`, somewhere in it
 */
export function mixedUp(
  transport: Transport,
  which: RegExp,
  change: (operation: Members) => Members,
): Transport {
  return altered(transport, which, (body) =>
    Buffer.from(JSON.stringify(change(JSON.parse(body.toString('utf8')) as Members))),
  );
}

/** The same answers, each behind a byte order mark. */
export function marked(transport: Transport): Transport {
  return altered(transport, /./, (body) => Buffer.concat([Buffer.from('\ufeff'), body]));
}

export function altered(transport: Transport, which: RegExp, change: (body: Buffer) => Buffer): Transport {
  return async (request, options): Promise<HttpAnswer> => {
    const answer = await transport(request, options);
    const { pathname } = new URL(request.url);
    const isMeant = which.test(`${request.method} ${pathname}`) && !pathname.startsWith('/_control/');
    const { status } = answer;
    if (!isMeant || status < 200 || status >= 300) return answer;
    return { ...answer, body: change(Buffer.from(answer.body)) };
  };
}

/**
 * The line on which the events end these operations otherwise, as a service that contradicts itself.
 * @param ends by operation: the other end behind the one that they have, or in its place
 */
export function otherEnds(transport: Transport, ends: ReadonlyMap<string, 'also' | 'instead'>): Transport {
  return mixedUp(transport, /GET .*\/v2\/events$/, (page) => ({
    ...page,
    events: (page['events'] as Members[]).flatMap((event) => {
      const operation = event['data'] as Members;
      const how = ends.get(String(operation['id']));
      if (how === undefined) return [event];
      const status = operation['status'] === 'failed' ? 'confirmed' : 'failed';
      const failure = status === 'failed' ? { code: 'account_rejected', message: 'Said otherwise.' } : null;
      const other = {
        ...event,
        id: String(event['id']).replace(/^./, 'e'),
        type: `${String(operation['type'])}.${status}`,
        data: { ...operation, status, failure },
      };
      return how === 'also' ? [event, other] : [other];
    }),
  }));
}
