/** This transport changes answers on their way to the client. */
import { beforeEach } from 'vitest';
import type { HttpAnswer, Transport } from '../../src/runtime/transport.js';

export const ANOTHER = 'ffffffff-0000-4000-8000-000000000001';

type Members = Readonly<Record<string, unknown>>;
const SAID_OTHERWISE = { code: 'account_rejected', message: 'Said otherwise.' };

export function mixedUp(
  transport: Transport,
  which: RegExp,
  change: (operation: Members) => Members,
): Transport {
  return altered(transport, which, (body) =>
    Buffer.from(JSON.stringify(change(JSON.parse(body.toString('utf8')) as Members))),
  );
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

export function otherEnds(transport: Transport, ends: ReadonlyMap<string, 'also' | 'instead'>): Transport {
  return mixedUp(transport, /GET .*\/v2\/events$/, (page) => ({
    ...page,
    events: (page['events'] as Members[]).flatMap((event) => {
      const operation = event['data'] as Members;
      const how = ends.get(String(operation['id']));
      if (how === undefined) return [event];
      const status = operation['status'] === 'failed' ? 'confirmed' : 'failed';
      const failure = status === 'failed' ? SAID_OTHERWISE : null;
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

export function twoEnds(transport: () => Transport) {
  const ends = new Map<string, 'also' | 'instead'>();
  const said: { status: string | null } = { status: null };
  beforeEach(() => {
    ends.clear();
    said.status = null;
  });
  const options = () => ({
    transport: mixedUp(otherEnds(transport(), ends), /\/v2\/(?!events|capabilities)/, (operation) =>
      said.status === null || !ends.has(String(operation['id']))
        ? operation
        : { ...operation, status: said.status, failure: said.status === 'failed' ? SAID_OTHERWISE : null },
    ),
  });
  return { ends, said, options };
}
