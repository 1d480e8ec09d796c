import { jsonIn } from '../../contract/json.js';
import { counted } from '../../contract/on-screen.js';
import { escapeText } from '../../output/escape.js';
import type { ControlCaller } from '../export-import.js';
import type { Interposer } from '../interposer.js';
import { isRefused, refusedLine, type RefusedRequest } from '../log/refused.js';
import { controlRequest } from '../message.js';
import type { Sandbox } from '../sandbox.js';
import type { DeliveryRow } from '../testing/types.js';

const REQUESTS = 'requests?limit=200&before=';
const DELIVERIES = 'deliveries?status=pending&limit=200&before=newest';
const EMPTYING_TARGET = /^\/_control\/(?:reset|state)(?:\?|$)/;
const SHOWN_MAX = 20;

/** Collects the refused requests, and the deliveries that no receiver took. */
export class Refusals {
  readonly #requests: string[] = [];
  readonly #deliveries: string[] = [];

  /** A reset or an import empties the lists, so they are read before it. */
  readonly interposerOf =
    ({ handle }: Pick<Sandbox, 'handle'>): Interposer =>
    async (exchange) => {
      const { method, target } = exchange.request;
      const mayEmpty = method !== 'GET' && EMPTYING_TARGET.test(target);
      const [requests, deliveries] = (mayEmpty ? [`${REQUESTS}newest`, DELIVERIES] : []).map(
        (path) => handle(controlRequest('GET', path, new Uint8Array())).body,
      );
      const answer = await exchange.carryOut();
      if (requests !== undefined && deliveries !== undefined && answer.status === 200)
        this.#add(requestsIn(requests).requests, deliveries);
      await exchange.send(answer);
    };

  async readAll(control: ControlCaller): Promise<void> {
    const requests: RefusedRequest[] = [];
    for (let before: number | string | null = 'newest'; before !== null;) {
      const page = requestsIn((await control('GET', `${REQUESTS}${String(before)}`, null)).body);
      requests.push(...page.requests);
      before = page.next;
    }
    this.#add(requests, (await control('GET', DELIVERIES, null)).body);
  }

  text(): string {
    const requestsHead = `The sandbox refused ${counted(this.#requests.length, 'request')}`;
    const deliveriesHead = `No receiver took ${counted(this.#deliveries.length, 'delivery')}`;
    return lastLines(requestsHead, this.#requests) + lastLines(deliveriesHead, this.#deliveries);
  }

  /** Both lists have the newest first. */
  #add(requests: readonly RefusedRequest[], deliveriesBody: Uint8Array): void {
    this.#requests.push(...requests.filter(isRefused).map(refusedLine).reverse());
    const { deliveries } = jsonIn(deliveriesBody) as { readonly deliveries: readonly DeliveryRow[] };
    const lines = deliveries.flatMap(({ type, url, attempts }) => {
      const attempt = attempts.at(-1);
      if (attempt === undefined) return [];
      return [escapeText(`${type} to ${url}: ${attempt.error ?? `answered ${String(attempt.status)}`}`)];
    });
    this.#deliveries.push(...lines.reverse());
  }
}

const requestsIn = (body: Uint8Array) =>
  jsonIn(body) as { readonly requests: readonly RefusedRequest[]; readonly next: number | null };

function lastLines(head: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const restText = lines.length > SHOWN_MAX ? `, the last ${String(SHOWN_MAX)} of them` : '';
  return [`${head}${restText}:`, ...lines.slice(-SHOWN_MAX).map((line) => `  ${line}`), ''].join('\n');
}
