import { httpDate } from '../../../../src/runtime/clock.js';
import type { HttpAnswer, HttpRequest } from '../../../../src/runtime/transport.js';
import type { Seeded } from '../../../support/seeded.js';
import { HOUR_MS } from '../service.js';

export const CACHES = ['none', 'obedient', 'stale', 'aged', 'rewriting'] as const;

export interface LineManners {
  readonly cache: (typeof CACHES)[number];
  readonly keptHours: number;
  readonly wrongRate: number;
}

export class Line {
  manners: LineManners;
  readonly #pages = new Map<string, { readonly answer: HttpAnswer; readonly atMs: number }>();
  readonly #random: Seeded;

  constructor(manners: LineManners, random: Seeded) {
    this.manners = manners;
    this.#random = random;
  }

  read(
    request: HttpRequest,
    nowMs: number,
    ask: () => HttpAnswer,
    another: () => HttpAnswer | null,
  ): HttpAnswer {
    const kept = this.#kept(request, nowMs);
    if (kept !== null) return kept;
    const { cache, wrongRate } = this.manners;
    const answer = ask();
    if (cache !== 'none' && answer.status === 200) this.#pages.set(nameOf(request), { answer, atMs: nowMs });
    const isOne = /\/(payins|payouts|transactions)\/[^/]+$/.test(new URL(request.url).pathname);
    if (!isOne || answer.status !== 200 || !this.#random.chance(wrongRate)) return answer;
    return another() ?? answer;
  }

  #kept(request: HttpRequest, nowMs: number): HttpAnswer | null {
    const { cache, keptHours } = this.manners;
    const page = this.#pages.get(nameOf(request));
    if (cache === 'none' || page === undefined || nowMs - page.atMs >= keptHours * HOUR_MS) return null;
    const asksAnew = (request.headers['cache-control'] ?? '').includes('no-cache');
    if (cache === 'obedient' && asksAnew) return null;
    const { answer, atMs } = page;
    if (cache === 'aged')
      return { ...answer, headers: [...answer.headers, ['age', String(Math.floor((nowMs - atMs) / 1000))]] };
    if (cache !== 'rewriting') return answer;
    const others = answer.headers.filter(([name]) => name !== 'date');
    return { ...answer, headers: [...others, ['date', httpDate(nowMs)]] };
  }
}

function nameOf({ url, headers }: HttpRequest): string {
  return `${headers['authorization'] ?? ''} ${url}`;
}
