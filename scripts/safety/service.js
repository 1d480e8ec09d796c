import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/** @typedef {{ id: string, reference: string | null, created_at: string, [member: string]: unknown }} Paid an operation */
/** @typedef {{ key: string, body: string, operation: Paid, at: number }} Arrival `at`: milliseconds since 1970 when it arrived */
/** @typedef {Readonly<Record<string, unknown>>} Facts answers that never change, by path and query */
/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/** @param {Facts} facts */
export async function startService(facts) {
  /** @type {Map<string, Arrival>} */
  let arrivals = new Map();
  let holdMs = 0;
  let isMute = false;
  /** @type {Set<string>} */
  const unknown = new Set();

  /** @param {string} key @param {string} body @returns {Arrival} */
  const arrive = (key, body) => {
    const arrival = { key, body, operation: operationOf(JSON.parse(body)), at: Date.now() };
    arrivals.set(key, arrival);
    return arrival;
  };
  /** @param {import('node:http').ServerResponse} response @param {number} status @param {unknown} value */
  const answer = (response, status, value) => {
    const text = JSON.stringify(value);
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  };
  /** @param {import('node:http').ServerResponse} response @param {number} status @param {string} code */
  const refuse = (response, status, code) => answer(response, status, { error: { code, message: code } });

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://service');
      const path = url.pathname.replace(/^\/sandbox/, '');
      if (request.method === 'POST' && path === '/v2/payouts') {
        const key = String(request.headers['idempotency-key']);
        const known = arrivals.get(key);
        if (known !== undefined && known.body !== body)
          return refuse(response, 409, 'idempotency_key_reused');
        const { operation } = known ?? arrive(key, body);
        if (isMute) return request.socket.destroy();
        return setTimeout(() => answer(response, 201, operation), holdMs);
      }
      if (path === '/v2/events')
        return answer(response, 200, pageOf([...arrivals.values()], url.searchParams));
      const [, id] = /^\/v2\/(?:payouts|transactions)\/([^/]+)$/.exec(path) ?? [];
      const found = [...arrivals.values()].find(({ operation }) => operation.id === id);
      if (found !== undefined) return answer(response, 200, found.operation);
      const fact = facts[path + url.search];
      if (fact !== undefined) return answer(response, 200, fact);
      // svc asks for an unknown id to learn the time of the service.
      if (id === undefined) unknown.add(`${String(request.method)} ${path}${url.search}`);
      return refuse(response, 404, 'not_found');
    });
  });
  server.keepAliveTimeout = 60_000;
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${String(port)}`,
    unknown,
    arrivals: () => [...arrivals.values()],
    /** @param {string} reference */
    paid: (reference) =>
      [...arrivals.values()]
        .map(({ operation }) => operation)
        .filter((operation) => operation.reference === reference),
    /** @param {readonly Arrival[]} those */
    putBack: (those) => {
      arrivals = new Map(those.map((arrival) => [arrival.key, arrival]));
    },
    /** @param {number} count @param {string} name */
    seed: (count, name) => {
      for (let at = 0; at < count; at += 1)
        arrive(
          `${name}-${String(at)}`,
          JSON.stringify({
            ...{ country: 'VE', currency: 'VES', method: 'mobile_payment', purpose: 'payroll' },
            ...{ amount: `${String(10 + at)}.00`, reference: `${name}-${String(at)}` },
          }),
        );
    },
    /** @param {number} milliseconds */
    hold: (milliseconds) => {
      holdMs = milliseconds;
    },
    /** @param {boolean} wanted */
    mute: (wanted) => {
      isMute = wanted;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @param {Record<string, unknown>} body @returns {Paid} */
function operationOf({
  country,
  currency,
  method,
  amount,
  reference = null,
  purpose = 'remittance',
  metadata = {},
}) {
  const id = randomUUID();
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  return {
    ...{ id, type: 'payout', country, currency, method, amount, status: 'confirmed', pending_reason: null },
    ...{ bank_reference: id.slice(0, 8), confirmed_at: at, failure: null, metadata, purpose },
    ...{ reference: typeof reference === 'string' ? reference : null, created_at: at, updated_at: at },
    ...{ concept: `Pago DEF${id.slice(0, 6).toUpperCase()}`, created_by: 'company' },
  };
}

/** @param {readonly Arrival[]} arrivals @param {URLSearchParams} query */
function pageOf(arrivals, query) {
  const from = Number(query.get('cursor') ?? '0');
  const events = arrivals.slice(from, from + Number(query.get('limit') ?? '50')).map(({ operation }) => ({
    ...{ id: eventIdOf(operation.id), type: 'payout.confirmed' },
    ...{ occurred_at: operation.created_at, data: operation },
  }));
  const end = from + events.length;
  return { events, next_cursor: end === 0 ? null : String(end).padStart(9, '0') };
}

/** @param {string} id */
function eventIdOf(id) {
  const hex = createHash('sha1').update(id).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
