/** A small shop: it asks for money by a code or by a transfer, and ships what was paid. */
import { createServer } from 'node:http';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { isAuthentic } from './signature.js';

const ATTEMPTS = 3;

export class Shop {
  /** By the number of the order: `waiting`, `paid` or `failed`. @type {Map<string, string>} */
  orders = new Map();
  /** What was sent out, in order. @type {string[]} */
  shipped = [];
  /** Ids of handled events, because a delivery may arrive more than once. @type {Set<string>} */
  #handled = new Set();
  /** @type {readonly string[]} */
  #secrets;
  #service;

  /**
   * @param {{ serviceUrl: string, apiKey: string, fetch?: typeof fetch, sleep?: (ms: number) => Promise<unknown> }} service
   * @param {readonly string[]} [secrets] the secrets of URLs that are registered already
   */
  constructor(service, secrets = []) {
    this.#service = service;
    this.#secrets = secrets;
  }

  /** The bank sends the payer a code: pass it to `enterCode`. @param {string} order @param {string} amount @param {object} payer */
  payByCode(order, amount, payer) {
    return this.#collect(order, { method: 'debit_otp', amount, payer });
  }

  /** The payer sends the money; the answer says how long the service waits for it. @param {string} order @param {string} amount @param {object} payer */
  payByTransfer(order, amount, payer) {
    return this.#collect(order, { method: 'incoming_transfer', amount, payer });
  }

  /** Sends the code once. If there is no answer, read the pay-in, because a code works only once. @param {string} payin @param {string} code */
  async enterCode(payin, code) {
    return this.#ask('POST', `/v2/payins/${payin}/confirm`, { code });
  }

  /** Registers the URL that gets the deliveries from now on. @param {string} url */
  async registerWebhook(url) {
    const { secret } = await this.#ask('POST', '/v2/webhook-endpoints', { url });
    this.#secrets = [secret, ...this.#secrets].slice(0, 2);
  }

  /** A server for deliveries. It answers 2xx only after it has handled the event. `GET /orders/NUMBER` returns the state of an order. */
  server() {
    return createServer(async (request, response) => {
      const [, order] = /^\/orders\/(.+)/.exec(request.url ?? '') ?? [];
      if (request.method === 'GET' && order !== undefined) {
        response.end(JSON.stringify(this.state(decodeURIComponent(order))));
        return;
      }
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(this.take({ headers: request.headers, body: Buffer.concat(chunks) })).end();
    });
  }

  /** @param {string} order @returns its status, and how often it was shipped */
  state(order) {
    return {
      status: this.orders.get(order) ?? 'unknown',
      shipped: this.shipped.filter((one) => one === order).length,
    };
  }

  /** @param {{ headers: any, body: Buffer }} delivery @returns {number} the status to answer with */
  take(delivery) {
    if (!isAuthentic(delivery, this.#secrets)) return 401;
    const event = parsed(delivery.body);
    if (event === null) return 400;
    const { id, type, data } = event;
    if (this.#handled.has(id)) return 200;
    if (type === 'payin.confirmed') this.#paid(data.reference);
    if (type === 'payin.failed') this.orders.set(data.reference, 'failed');
    this.#handled.add(id);
    return 200;
  }

  /** @param {string} order */
  #paid(order) {
    this.orders.set(order, 'paid');
    this.shipped.push(order);
  }

  /** @param {string} order @param {object} body */
  async #collect(order, body) {
    this.orders.set(order, 'waiting');
    const whole = { ...body, country: 'VE', currency: 'VES', reference: order };
    // The key is the order, so the order is paid once even if an answer is lost.
    return this.#repeated('/v2/payins', whole, `shop-order-${order}`);
  }

  /** Repeats the request with the same key while its outcome is unknown, and waits as long as the service asks. @param {string} path @param {object} body @param {string} key */
  async #repeated(path, body, key) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#ask('POST', path, body, { 'idempotency-key': key });
      } catch (error) {
        const isOpen = error.status === undefined || error.status === 429 || error.status >= 500;
        if (!isOpen || attempt === ATTEMPTS) throw error;
        const waitMs = Math.max(50 * attempt, (error.retryAfter ?? 0) * 1000);
        await (this.#service.sleep ?? sleepFor)(waitMs);
      }
    }
  }

  /** @param {string} method @param {string} path @param {object} body @param {Record<string, string>} [headers] */
  async #ask(method, path, body, headers = {}) {
    const { serviceUrl, apiKey, fetch = globalThis.fetch } = this.#service;
    const answer = await fetch(serviceUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
    });
    // A body that is not JSON, perhaps the page of a proxy, says nothing, so only the status counts.
    const value = await answer.json().catch((cause) => {
      throw Object.assign(new Error('unreadable answer', { cause }), answer.ok ? {} : said(answer));
    });
    if (answer.ok) return value;
    throw Object.assign(new Error(value.error.message), { ...said(answer), code: value.error.code });
  }
}

/** @param {Response} answer */
function said(answer) {
  return { status: answer.status, retryAfter: Number(answer.headers.get('retry-after')) };
}

/** Returns null if the body is not an event. @param {Buffer} body */
function parsed(body) {
  try {
    const event = JSON.parse(body.toString());
    return typeof event?.id === 'string' ? { data: {}, ...event } : null;
  } catch {
    return null;
  }
}
