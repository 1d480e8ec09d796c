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
