import type { EndpointId } from '../../src/contract/endpoints.js';
import { markOfBody } from '../../src/certify/client/fingerprint.js';
import type {
  SeenDelivery,
  SeenOperation,
  SeenRequest,
  SeenRun,
} from '../../src/certify/client/request-seen.js';
import type { StoppedFor, SeenAnswer, OperationState } from '../../src/certify/client/request-seen.js';
import type { Seeded } from '../support/seeded.js';
import type { SpoiltAnswer, Spoiling } from '../../src/certify/client/faults.js';

export interface Sending {
  readonly route: EndpointId | null;
  readonly operation?: string;
  readonly key?: string | null;
  readonly body?: unknown;
  readonly bearer?: string;
  readonly timeoutMs?: number;
}

export type Step = { readonly send: Sending } | { readonly waitMs: number };
export type Program<T = void> = Generator<Step, T, SeenAnswer>;

interface Options {
  readonly random: Seeded;
  readonly spoil: (before: readonly SeenRequest[], request: SeenRequest) => Spoiling | null;
  readonly hooks?: string | null;
}

export const NO_ANSWER: SeenAnswer = { kind: 'none' };
const LATENCY_MS = 4;
const SETTLED_AFTER_MS = 2000;

interface Operation extends SeenOperation {
  readonly method: string;
}

export class Service {
  readonly requests: SeenRequest[] = [];
  readonly operations: Operation[] = [];
  readonly deliveries: SeenDelivery[] = [];
  nowMs = 0;
  scope = 'sandbox-1';
  receive: ((delivered: { readonly id: string; readonly operation: OperationState }) => Program) | null =
    null;
  isKilled = false;
  rerunFrom: number | null = null;
  readonly #queue: { readonly atMs: number; readonly order: number; readonly run: () => void }[] = [];
  readonly #keys = new Map<string, { readonly mark: string; readonly operation: Operation }>();
  readonly #result = new Set<Operation>();
  #order = 0;
  #held: (() => void) | null = null;

  constructor(private readonly options: Options) {}

  reset(): void {
    const [name = '', count = '1'] = this.scope.split('-');
    this.scope = `${name}-${String(Number(count) + 1)}`;
  }

  play(programs: readonly Program[]): unknown[] {
    const thrown: unknown[] = [];
    for (const program of programs) this.#step(program, NO_ANSWER, thrown);
    this.#thrown = thrown;
    for (;;) {
      const [next] = this.#queue.sort((one, other) => one.atMs - other.atMs || one.order - other.order);
      if (next === undefined) return thrown;
      this.#queue.shift();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
  }

  #thrown: unknown[] = [];

  seen(caseId: string | null, exitCode: number, stoppedFor: StoppedFor | null = null): SeenRun {
    return {
      ...{ caseId, requests: this.requests, operations: this.operations, deliveries: this.deliveries },
      ...{ exitCode, tookMs: this.nowMs, stoppedFor, rerunFrom: this.rerunFrom, output: '' },
      hits: this.requests.filter(({ fault }) => fault !== null).length,
    };
  }

  #at(atMs: number, run: () => void): void {
    this.#order += 1;
    this.#queue.push({ atMs, order: this.#order, run });
  }

  #step(program: Program, result: SeenAnswer, thrown: unknown[]): void {
    let next: IteratorResult<Step>;
    try {
      next = program.next(result);
    } catch (error) {
      thrown.push(error);
      return;
    }
    if (next.done === true) return;
    const step = next.value;
    if ('waitMs' in step) {
      this.#at(this.nowMs + step.waitMs, () => this.#step(program, NO_ANSWER, thrown));
      return;
    }
    const arrival = this.nowMs + LATENCY_MS * (1 + this.options.random.fraction());
    this.#at(arrival, () =>
      this.#arrive(step.send, (answer) =>
        this.#at(this.nowMs + LATENCY_MS, () => this.#step(program, answer, thrown)),
      ),
    );
  }

  #kill(): void {
    this.isKilled = true;
    this.#queue.length = 0;
    this.receive = null;
  }

  #arrive(sending: Sending, answer: (result: SeenAnswer) => void): void {
    const { route, operation = null, key = null, body, bearer = 'right' } = sending;
    const isGet = route === null || route.endsWith('.get') || route === 'events.list' || route === 'balances';
    const request: SeenRequest = {
      ...{ number: this.requests.length + 1, atMs: this.nowMs, endedMs: null, scope: this.scope },
      ...{ method: isGet ? 'GET' : 'POST', target: `/sandbox/${route ?? 'other'}/${operation ?? ''}` },
      ...{ route, operation, key, bearer },
      body: Buffer.from(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)),
      ...{ fault: null, isCarriedOut: false, madeId: null, answer: NO_ANSWER },
    };
    const spoiling = this.rerunFrom === null ? this.options.spoil(this.requests, request) : null;
    this.requests.push(request);
    request.fault = spoiling?.name ?? null;
    const isKilled = spoiling?.instead.kind === 'killed';
    if (spoiling?.outcome === 'expired') this.#expire(operation);
    const isCarriedOut = spoiling?.isCarriedOut ?? true;
    const own = isCarriedOut ? this.#carryOut(request, spoiling?.outcome ?? null) : NO_ANSWER;
    request.isCarriedOut = isCarriedOut;
    if (isKilled) {
      request.endedMs = this.nowMs;
      this.#kill();
      return;
    }
    const result = toldInstead(spoiling?.instead ?? { kind: 'own' }, own);
    const patience = sending.timeoutMs ?? 10_000;
    const heldMs = result === null ? Infinity : (spoiling?.holdMs ?? 0);
    this.#at(this.nowMs + Math.min(heldMs, patience), () => {
      if (heldMs < patience) request.answer = result ?? NO_ANSWER;
      request.endedMs = this.nowMs;
      answer(request.answer);
    });
  }

  #carryOut(request: SeenRequest, first: Spoiling['outcome']): SeenAnswer {
    const { route, operation: id, bearer } = request;
    if (bearer !== 'right') return refusal(401, 'unauthorized');
    if (route === 'payins.create' || route === 'payouts.create') return this.#create(request, route, first);
    if (route === 'events.list') return answered(200, null, this.#events());
    if (id === null) return answered(200, null);
    const operation = this.operations.find((one) => one.id === id && one.scope === request.scope);
    if (operation === undefined) return refusal(404, 'not_found');
    if (request.method === 'GET') return answered(200, operation);
    const isCode = operation.reason === 'awaiting_code';
    if (route === 'payins.confirm') {
      if (!isCode) return refusal(409, 'code_not_expected');
      const isRight = Buffer.from(request.body).includes('123456');
      if (isPending(first)) this.#processing(operation, first);
      else this.#settle(operation, isRight ? 'confirmed' : 'failed');
      return answered(200, operation);
    }
    if (route === 'payins.resend')
      return isCode ? answered(200, operation) : refusal(409, 'code_not_expected');
    if (operation.reason !== 'awaiting_payment') return refusal(409, 'not_cancellable');
    this.#settle(operation, 'failed');
    return answered(200, operation);
  }

  #create(request: SeenRequest, route: EndpointId, first: Spoiling['outcome']): SeenAnswer {
    const { key, scope, body, number } = request;
    const { amount, method } = JSON.parse(Buffer.from(body).toString()) as { amount: string; method: string };
    if (key === null) return refusal(400, 'idempotency_key_required');
    const name = `${scope} ${key}`;
    const known = this.#keys.get(name);
    const mark = markOfBody(body);
    if (known !== undefined && known.mark !== mark) return refusal(409, 'idempotency_key_reused');
    if (known === undefined && amount.startsWith('-')) return refusal(400, 'field_invalid');
    const id = `operation-${String(this.operations.filter((one) => one.scope === scope).length + 1)}`;
    const operation = known?.operation ?? {
      ...{
        id,
        scope,
        route,
        key,
        requestNumber: number,
        method,
        status: 'pending',
        reason: reasonOf(method),
      },
    };
    request.madeId = operation.id;
    if (known === undefined) {
      this.operations.push(operation);
      this.#keys.set(name, { mark, operation });
      if (first === 'declined') this.#settle(operation, 'failed');
      else if (operation.reason === 'processing' && isPending(first)) this.#processing(operation, first);
      else if (operation.reason === 'processing') this.#settle(operation, 'confirmed');
    }
    return answered(201, operation);
  }

  #expire(id: string | null): void {
    const operation = this.operations.find((one) => one.id === id && one.scope === this.scope);
    if (operation?.reason === 'awaiting_code') this.#settle(operation, 'failed');
  }

  #processing(operation: Operation, outcome: Spoiling['outcome']): void {
    operation.reason = 'processing';
    this.#at(this.nowMs + SETTLED_AFTER_MS, () =>
      this.#settle(operation, outcome === 'pending' ? 'confirmed' : 'failed'),
    );
  }

  #settle(operation: Operation, status: string): void {
    operation.status = status;
    operation.reason = null;
    const delivered = { id: `event-${operation.id}`, operation: stateOf(operation) };
    this.#result.add(operation);
    if (this.receive === null) return;
    const { hooks = null } = this.options;
    const hand = (afterMs: number): void =>
      this.#at(this.nowMs + afterMs, () => {
        this.deliveries.push({
          ...{ atMs: this.nowMs, type: `payin.${status}`, operation: delivered.operation, statuses: [200] },
        });
        const program = this.receive?.(delivered);
        if (program !== undefined) this.#step(program, NO_ANSWER, this.#thrown);
      });
    const late = hooks === 'hooks-late' ? 1500 : hooks === 'hooks-first' ? 0 : 6;
    if (hooks === 'hooks-swapped' && this.#held === null) {
      let isGone = false;
      const release = (): void => {
        if (!isGone) hand(1);
        isGone = true;
      };
      this.#held = release;
      this.#at(this.nowMs + 1000, release);
      return;
    }
    hand(late);
    this.#held?.();
    if (hooks === 'hooks-twice') hand(late + 20);
  }

  #events(): OperationState[] {
    return [...this.#result].filter(({ scope }) => scope === this.scope).map(stateOf);
  }
}

function isPending(outcome: Spoiling['outcome']): boolean {
  return outcome === 'pending' || outcome === 'pending-declined';
}

function reasonOf(method: string): string {
  if (method === 'debit_otp') return 'awaiting_code';
  return method.startsWith('incoming') ? 'awaiting_payment' : 'processing';
}

function stateOf({ id, status, reason }: Operation): OperationState {
  return { id, status, reason };
}

function answered(
  status: number,
  operation: Operation | null,
  events: readonly OperationState[] = [],
): SeenAnswer {
  return {
    ...{ kind: 'readable', status, code: null, retryAfterSeconds: null, events },
    operation: operation === null ? null : stateOf(operation),
  };
}

function refusal(status: number, code: string, retryAfterSeconds: number | null = null): SeenAnswer {
  return { kind: 'readable', status, code, operation: null, retryAfterSeconds, events: [] };
}

function toldInstead(instead: SpoiltAnswer, own: SeenAnswer): SeenAnswer | null {
  const { kind } = instead;
  if (kind === 'own') return own;
  if (kind === 'cut' || kind === 'killed') return NO_ANSWER;
  if (kind === 'never') return null;
  if (kind === 'error') return refusal(instead.status, instead.code, instead.retryAfterSeconds);
  const status = own.kind === 'readable' ? own.status : 200;
  return { kind: 'unreadable', status: kind === 'page' ? (instead.status ?? status) : status };
}
