/** A scripted model of the service: its ledger, its memory of keys, its feed, and everything that can go wrong on the way. */
import { foldReference } from '../../../src/contract/reference.js';
import type { Direction } from '../../../src/contract/operation.js';
import { httpDate, isoSeconds } from '../../../src/runtime/clock.js';
import type { HttpAnswer, HttpRequest } from '../../../src/runtime/transport.js';
import { Seeded } from '../../support/seeded.js';
import { BANKS, CATALOG } from './catalog.js';
import type { Program } from './program.js';
import { PLAIN, Quirks } from './quirks.js';
import type { Line } from './singles/line.js';

export const HOUR_MS = 3_600_000;
export type CompanyName = 'A' | 'B';

export interface Manners {
  readonly memoryHours: number;
  readonly order: 'replay' | 'validate';
  readonly hasLateEvents: boolean;
  /** How far the clock that stamps operations is ahead of the clock that stamps answers. */
  readonly createdAheadMs: number;
  readonly saysDate: boolean;
}

export interface Fate {
  readonly fault: Fault | null;
  readonly pendingHours: number;
}

export const FAULTS = [
  'lost_before',
  'lost_after',
  'unavailable',
  'page_after',
  'not_found_after',
  'refused',
] as const;
export type Fault = (typeof FAULTS)[number] | 'killed_before' | 'killed_after';

export interface Operation {
  readonly id: string;
  readonly company: CompanyName;
  readonly direction: Direction;
  readonly reference: string;
  readonly amount: string;
  readonly account: string;
  readonly key: string;
  readonly intent: number;
  readonly createdAtMs: number;
  readonly dueAtMs: number;
  readonly outcome: 'confirmed' | 'failed';
  status: 'pending' | 'confirmed' | 'failed';
  readonly goneUntilMs: number;
  undoneAtMs: number;
}

interface Remembered {
  readonly bytes: string;
  readonly operation: Operation | null;
  readonly atMs: number;
}

interface FeedEntry {
  readonly operation: Operation;
  readonly status: 'confirmed' | 'failed';
  showsAtMs: number;
  readonly occurredAtMs: number;
}

export function neverWas({ goneUntilMs }: Operation): boolean {
  return goneUntilMs === Infinity;
}

export class Killed extends Error {}

const LAG_MS = HOUR_MS / 2;

export class SimulatedService {
  nowMs: number;
  manners: Manners;
  intent = 0;
  readonly ledger: Operation[] = [];
  readonly script: Fate[] = [];
  draw: () => Fate = () => ({ fault: null, pendingHours: 0 });
  outcome: Operation['outcome'] | null = null;
  line: Line | null = null;
  quirks = new Quirks(PLAIN, new Seeded(1));
  readonly met: Record<string, number> = {};
  readonly #keys = new Map<string, Remembered>();
  readonly #feeds: Record<CompanyName, FeedEntry[]> = { A: [], B: [] };
  readonly #pending = new Set<Operation>();
  #late: FeedEntry[] = [];

  readonly #program: Program;

  constructor(nowMs: number, manners: Manners, program: Program) {
    this.#program = program;
    this.nowMs = nowMs;
    this.manners = manners;
  }

  settle(): void {
    const due = [...this.#pending].filter(({ dueAtMs }) => dueAtMs <= this.nowMs);
    for (const operation of due.sort((a, b) => a.dueAtMs - b.dueAtMs)) {
      this.#pending.delete(operation);
      if (!neverWas(operation)) this.#end(operation, operation.dueAtMs);
    }
    const shown = this.#late.filter(({ showsAtMs }) => showsAtMs <= this.nowMs);
    if (shown.length === 0) return;
    this.#late = this.#late.filter(({ showsAtMs }) => showsAtMs > this.nowMs);
    for (const entry of shown.sort((a, b) => a.showsAtMs - b.showsAtMs))
      this.#feeds[entry.operation.company].push(entry);
  }

  hide(): void {
    for (const entry of [...this.#feeds.A, ...this.#feeds.B]) entry.showsAtMs = this.nowMs + 720 * HOUR_MS;
  }

  contradict(): void {
    for (const operation of this.ledger.filter(({ status }) => status !== 'pending')) {
      const status = operation.status === 'failed' ? 'confirmed' : 'failed';
      const at = { occurredAtMs: this.nowMs, showsAtMs: this.nowMs };
      this.#feeds[operation.company].push({ operation, status, ...at });
    }
  }

  lose(): void {
    for (const [name, { operation }] of this.#keys)
      if (operation !== null && this.#pending.has(operation)) this.#keys.delete(name);
    this.ledger.splice(0, this.ledger.length, ...this.ledger.filter((one) => !this.#pending.has(one)));
    this.#pending.clear();
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.settle();
  }

  madeUnder(company: CompanyName, key: string): Operation | null {
    return this.ledger.findLast((one) => one.company === company && one.key === key) ?? null;
  }

  paymentOf(company: CompanyName, key: string | null, reference: string, sinceMs: number): Operation | null {
    this.settle();
    const isOfReference = (one: Operation): boolean =>
      foldReference(one.reference) === foldReference(reference) && one.createdAtMs >= sinceMs;
    return (
      this.ledger.find(
        (one) =>
          one.company === company &&
          (one.key === key || isOfReference(one)) &&
          one.outcome !== 'failed' &&
          !neverWas(one) &&
          one.undoneAtMs > this.nowMs,
      ) ?? null
    );
  }

  shown(company: CompanyName, direction: Direction, reference: string): Operation[] {
    this.settle();
    const folded = foldReference(reference);
    return this.#feeds[company]
      .filter(({ showsAtMs }) => showsAtMs <= this.nowMs)
      .map(({ operation }) => operation)
      .filter((one) => one.direction === direction && foldReference(one.reference) === folded);
  }

  answer(request: HttpRequest, kill: () => void): HttpAnswer {
    this.settle();
    const { method, url, headers, body } = request;
    const company = headers['authorization']?.endsWith('B') === true ? 'B' : 'A';
    const [, , noun = ''] = new URL(url).pathname.split('/');
    if (method === 'POST') {
      const direction = noun === 'payins' ? 'payin' : 'payout';
      const text = Buffer.from(body ?? []).toString('utf8');
      return this.#suffer(company, direction, headers['idempotency-key'] ?? '', text, kill);
    }
    const ask = (): HttpAnswer => this.#read(company, url);
    if (this.line === null) return ask();
    return this.line.read(request, this.nowMs, ask, () => this.#another(company, url));
  }

  #another(company: CompanyName, url: string): HttpAnswer | null {
    const one = this.ledger.findLast(
      (operation) => operation.company === company && !url.endsWith(`/${operation.id}`),
    );
    return one === undefined ? null : this.#json(200, this.#told(one));
  }

  #read(company: CompanyName, url: string): HttpAnswer {
    const { pathname, searchParams } = new URL(url);
    const [, , noun = '', id] = pathname.split('/');
    if (id !== undefined) {
      const found = this.ledger.find((one) => one.id === id && one.company === company && !this.isGone(one));
      return found === undefined ? this.#refusal(404, 'not_found') : this.#json(200, this.#told(found));
    }
    if (noun === 'capabilities') return this.#json(200, CATALOG);
    if (noun === 'banks') return this.#json(200, BANKS);
    if (noun === 'balances') return this.#json(200, this.#balances(company));
    return this.#json(200, this.#page(company, Number(searchParams.get('cursor') ?? 0)));
  }

  #suffer(
    company: CompanyName,
    direction: Direction,
    key: string,
    text: string,
    kill: () => void,
  ): HttpAnswer {
    const fate = text === '{}' || isOfNothing(text) ? null : (this.script.shift() ?? this.draw());
    const fault = fate?.fault ?? null;
    if (fault !== null) this.met[fault] = (this.met[fault] ?? 0) + 1;
    if (fault === 'unavailable') return this.#refusal(503, 'temporarily_unavailable');
    if (fault === 'lost_before') throw new this.#program.NotAnswered('reset', true, 'the connection was cut');
    if (fault === 'killed_before') {
      kill();
      throw new Killed();
    }
    const answer = this.#carryOut(
      company,
      direction,
      key,
      text,
      fault === 'refused',
      fate?.pendingHours ?? 0,
      fate === null ? null : this.quirks.strange(),
    );
    if (fault === 'lost_after') throw new this.#program.NotAnswered('reset', true, 'the connection was cut');
    if (fault === 'killed_after') {
      kill();
      throw new Killed();
    }
    if (fault === 'page_after') return this.#answer(502, '<html>Bad gateway</html>');
    if (fault === 'not_found_after') return this.#answer(404, '<html>Not found</html>');
    return answer;
  }

  #carryOut(
    company: CompanyName,
    direction: Direction,
    key: string,
    text: string,
    isRefused: boolean,
    pendingHours: number,
    strange: 'unnamed' | 'swapped' | null,
  ): HttpAnswer {
    const name = `${company} ${key}`;
    const bytes = `${direction} ${text}`;
    const { memoryHours, order } = this.manners;
    let known = this.#keys.get(name);
    if (known !== undefined && this.nowMs - known.atMs > memoryHours * HOUR_MS) known = undefined;
    if (known?.operation !== undefined && known.operation !== null && neverWas(known.operation))
      known = undefined;
    const members = JSON.parse(text) as { reference?: string; amount?: string; [party: string]: unknown };
    const party = (members['beneficiary'] ?? members['payer']) as { account_number?: string } | undefined;
    const kind = party?.account_number?.at(-1);
    const isInvalid = isRefused || text === '{}' || kind === '3' || isOfNothing(text);
    if (order === 'validate' && isInvalid) return this.#refusal(400, 'field_invalid');
    if (known !== undefined) {
      if (known.bytes !== bytes) return this.#refusal(409, 'idempotency_key_reused');
      if (known.operation === null) return this.#refusal(400, 'field_invalid');
      return this.#json(201, this.#answered(known.operation, strange));
    }
    if (isInvalid) {
      if (this.quirks.remembers(party === undefined ? 'shape' : 'business'))
        this.#keys.set(name, { bytes, operation: null, atMs: this.nowMs });
      return this.#refusal(400, 'field_invalid');
    }
    const other = strange === 'swapped' ? this.#like(company, direction, members) : null;
    if (other !== null) return this.#json(201, this.#answered(other, 'unnamed'));
    const goneMs = pendingHours === 0 ? null : this.quirks.goneMs();
    const operation: Operation = {
      id: `00000000-0000-4000-8000-${String(this.ledger.length).padStart(12, '0')}`,
      ...{ company, direction, key, intent: this.intent },
      reference: members.reference ?? '',
      amount: members.amount ?? '',
      account: party?.account_number ?? '',
      createdAtMs: this.nowMs,
      dueAtMs: this.nowMs + Math.round(pendingHours * HOUR_MS),
      outcome: this.outcome ?? (kind === '2' ? 'failed' : 'confirmed'),
      status: 'pending',
      goneUntilMs: goneMs === null ? -Infinity : this.nowMs + goneMs,
      undoneAtMs: Infinity,
    };
    this.ledger.push(operation);
    this.#keys.set(name, { bytes, operation, atMs: this.nowMs });
    if (pendingHours === 0) this.#end(operation, this.nowMs);
    else this.#pending.add(operation);
    return this.#json(201, this.#answered(operation, strange));
  }

  #like(
    company: CompanyName,
    direction: Direction,
    { amount, reference }: { amount?: string; reference?: string },
  ): Operation | null {
    const isLike = (one: Operation): boolean =>
      one.company === company &&
      one.direction === direction &&
      one.amount === amount &&
      one.status !== 'failed';
    return this.ledger.find((one) => isLike(one) && one.reference !== reference && !neverWas(one)) ?? null;
  }

  isGone({ goneUntilMs, createdAtMs }: Operation): boolean {
    if (goneUntilMs === Infinity) return true;
    return this.nowMs < goneUntilMs && this.nowMs > createdAtMs + HOUR_MS / 5;
  }

  #end(operation: Operation, atMs: number): void {
    operation.status = operation.outcome;
    const isLate = this.manners.hasLateEvents && this.ledger.indexOf(operation) % 3 === 0;
    const lateMs = this.quirks.lateMs();
    const showsAtMs = atMs + (isLate ? LAG_MS : 0) + lateMs;
    const entry = { operation, status: operation.outcome, occurredAtMs: atMs, showsAtMs };
    if (lateMs > 0) this.#late.push(entry);
    else this.#feeds[operation.company].push(entry);
    if (operation.outcome === 'failed') return;
    const undoing = this.quirks.undoing();
    if (undoing === null) return;
    const undoneAtMs = showsAtMs + undoing.afterMs;
    this.#late.push({ operation, status: 'failed', occurredAtMs: undoneAtMs, showsAtMs: undoneAtMs });
    if (undoing.isReal) operation.undoneAtMs = undoneAtMs;
  }

  #page(company: CompanyName, from: number): object {
    const feed = this.#feeds[company];
    let next = from;
    const events: object[] = [];
    const { pageSize } = this.quirks.manners;
    feed.forEach(({ operation, status, showsAtMs, occurredAtMs }, at) => {
      if (at < from || showsAtMs > this.nowMs || events.length >= pageSize) return;
      next = at + 1;
      events.push({
        id: `evt-${operation.id}${status === operation.outcome ? '' : '-undone'}`,
        type: `${operation.direction}.${status}`,
        occurred_at: isoSeconds(occurredAtMs),
        data: this.#told(operation, status),
      });
    });
    if (events.length === pageSize && from > 0 && this.quirks.isStill(this.nowMs)) next = from;
    return { events, next_cursor: next === 0 ? null : String(next) };
  }

  #answered(operation: Operation, strange: 'unnamed' | 'swapped' | null): object {
    const told = this.#told(operation);
    return strange === 'unnamed' ? { ...told, reference: null } : told;
  }

  #told(operation: Operation, status = this.#statusOf(operation)): object {
    const { id, direction, amount, reference, createdAtMs, company } = operation;
    return {
      ...{ id, type: direction, country: 'VE', currency: 'VES', amount, status, reference },
      method: direction === 'payin' ? 'direct_debit' : 'mobile_payment',
      pending_reason: status === 'pending' ? 'processing' : null,
      failure: status === 'failed' ? { code: 'account_invalid', message: 'No such account.' } : null,
      concept: `Pago ${company}${company}${company}123456`,
      created_at: isoSeconds(createdAtMs + this.manners.createdAheadMs),
    };
  }

  #statusOf({ status, undoneAtMs }: Operation): Operation['status'] {
    return this.nowMs >= undoneAtMs ? 'failed' : status;
  }

  #balances(company: CompanyName): object {
    const reserved = [...this.#pending]
      .filter((one) => one.company === company && one.direction === 'payout')
      .reduce((sum, { amount }) => sum + Number(amount), 0);
    return { balances: [{ currency: 'VES', available: '1000000.00', reserved: reserved.toFixed(2) }] };
  }

  #refusal(status: number, code: string): HttpAnswer {
    return this.#json(status, { error: { code, message: 'Said by the service.' } });
  }

  #json(status: number, value: object): HttpAnswer {
    return this.#answer(status, JSON.stringify(value));
  }

  #answer(status: number, text: string): HttpAnswer {
    const date: [string, string][] = this.manners.saysDate ? [['date', httpDate(this.nowMs)]] : [];
    return { status, headers: [['content-type', 'application/json'], ...date], body: Buffer.from(text) };
  }
}

function isOfNothing(text: string): boolean {
  return /"amount":"0(\.0*)?"/.test(text);
}

export function drawing(
  random: Seeded,
  {
    faultRate,
    killRate,
    pendingHours,
  }: { faultRate: number; killRate: number; pendingHours: readonly number[] },
): () => Fate {
  return () => {
    const hours = random.pick(pendingHours);
    if (random.chance(killRate))
      return { fault: random.chance(0.5) ? 'killed_before' : 'killed_after', pendingHours: hours };
    return { fault: random.chance(faultRate) ? random.pick(FAULTS) : null, pendingHours: hours };
  };
}
