import type { ClientRule } from '../../src/certify/client/judge.js';
import {
  isOutcomeUnknown,
  type SeenRequest,
  type SeenRun,
  type SeenAnswer,
  type OperationState,
} from '../../src/certify/client/request-seen.js';
import type { EndpointId } from '../../src/contract/endpoints.js';
import type { Seeded } from '../support/seeded.js';
import { NO_ANSWER, type Program, Service, type Sending } from './service.js';
import type { Spoiling } from '../../src/certify/client/faults.js';

const TASKS = [
  ...['payout', 'collection', 'incoming', 'alike', 'replayed', 'reused', 'refused', 'wrong-code'],
  ...['code-twice', 'unknown', 'bad-bearer', 'feed'],
] as const;
export type Task = (typeof TASKS)[number];

export type Mistake = Exclude<ClientRule, 'ends'>;

export interface Habits {
  readonly tasks: readonly Task[];
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly drawsKeys: boolean;
  readonly references: 'fixed' | 'drawn' | 'none';
  readonly drawsAmounts: boolean;
  readonly stamps: boolean;
  readonly isOneBody: boolean;
  readonly replacements: number;
  readonly renames: boolean;
  readonly resets: 'before' | 'after' | 'never';
  readonly bails: boolean;
  readonly lanes: number;
  readonly hooked: boolean;
}

export function habitsFrom(random: Seeded): Habits {
  const tasks = Array.from({ length: 1 + random.below(5) }, () => random.pick(TASKS));
  const resets = random.pick(['before', 'after', 'never', 'never'] as const);
  const isOne = resets === 'never';
  return {
    tasks: tasks.includes('payout') || tasks.includes('collection') ? tasks : [...tasks, 'payout'],
    attempts: 1 + random.below(5),
    timeoutMs: random.pick([1000, 4000, 10_000]),
    drawsKeys: random.chance(0.5),
    references: random.pick(['fixed', 'drawn', 'none']),
    ...{ stamps: random.chance(0.3), isOneBody: random.chance(0.4) },
    ...{ replacements: random.below(3), renames: random.chance(0.3) },
    ...{ resets, bails: random.chance(0.5), lanes: isOne ? 1 + random.below(3) : 1 },
    drawsAmounts: random.chance(0.2),
    hooked: isOne && random.chance(0.3),
  };
}

class Undone extends Error {}

interface RunOptions {
  readonly caseId?: string | null;
  readonly random: Seeded;
  readonly spoil?: (before: readonly SeenRequest[], request: SeenRequest) => Spoiling | null;
  readonly mistake?: Mistake | null;
  readonly isRerun?: boolean;
}

export function runOf(
  habits: Habits,
  { caseId = null, random, spoil = () => null, mistake = null, isRerun = false }: RunOptions,
): SeenRun {
  const service = new Service({ random, spoil, hooks: caseId });
  const memory = new Map<string, { readonly body: Body; readonly key: string }>();
  const start = (): number => new Command(habits, service, random, mistake, memory).run();
  let exitCode = start();
  if (isRerun && exitCode !== 0) {
    service.rerunFrom = service.requests.length + 1;
    service.isKilled = false;
    exitCode = start();
  }
  return service.seen(caseId, mistake === 'tolerant' && caseId === 'members' ? 1 : exitCode);
}

type Body = Readonly<Record<string, unknown>>;

class Command {
  readonly #taken = new Set<string>();
  #shared = 0;
  #toShare = 0;

  constructor(
    private readonly habits: Habits,
    private readonly service: Service,
    private readonly random: Seeded,
    private readonly mistake: Mistake | null,
    private readonly memory: Map<string, { readonly body: Body; readonly key: string }>,
  ) {}

  run(): number {
    const { hooked, lanes, tasks } = this.habits;
    if (hooked) this.service.receive = ({ id, operation }) => this.#share(id, operation);
    const lists = Array.from({ length: lanes }, (_, lane) =>
      tasks.flatMap((task, at) => (at % lanes === lane ? [[task, at] as const] : [])),
    );
    const failures: unknown[] = [];
    failures.push(...this.service.play(lists.map((list) => this.#lane(list, failures))));
    for (const failure of failures) if (!(failure instanceof Undone)) throw failure;
    if (this.service.isKilled) return 137;
    return failures.length > 0 && this.mistake !== 'says-done' ? 1 : 0;
  }

  *#lane(list: readonly (readonly [Task, number])[], failures: unknown[]): Program {
    for (const [task, at] of list) {
      if (this.habits.resets === 'before') this.service.reset();
      try {
        yield* this.#do(task, at);
        if (this.habits.resets === 'after') this.service.reset();
      } catch (error) {
        if (!(error instanceof Undone)) throw error;
        failures.push(error);
        if (this.habits.bails) return;
      }
    }
    for (let n = 0; n < 100 && this.#shared < this.#toShare; n += 1) yield { waitMs: 100 };
    if (this.#shared < this.#toShare) failures.push(new Undone('no delivery'));
  }

  *#do(task: Task, at: number): Program {
    const name = `${task}-${String(at)}`;
    const dressed = (body: Body): Body => this.#dressed(body, name);
    if (task === 'payout') return yield* this.#paid('payouts.create', payout(this.#amount(at)), name);
    if (task === 'collection') return yield* this.#paid('payins.create', collection(this.#amount(at)), name);
    if (task === 'alike') {
      yield* this.#paid('payouts.create', payout('7.00'), `${name}-one`);
      return yield* this.#paid('payouts.create', payout('7.00'), `${name}-two`);
    }
    if (task === 'incoming') {
      const body = dressed({ ...payout('9.00'), method: 'incoming_transfer' });
      const operation = must(yield* this.#create('payins.create', body, this.#key(name)));
      return yield* this.#act('payins.cancel', operation, 'failed');
    }
    if (task === 'replayed') {
      const [body, key] = [dressed(payout('11.00')), this.#key(name)];
      const one = alive(yield* this.#create('payouts.create', body, key));
      const other = must(yield* this.#create('payouts.create', body, key));
      if (one.id !== other.id) throw new Undone('two operations');
      yield* this.#confirmed(one);
    }
    if (task === 'reused') {
      const key = this.#key(name);
      const operation = alive(yield* this.#create('payouts.create', dressed(payout('12.00')), key));
      expected(yield* this.#create('payouts.create', dressed(payout('13.00')), key), 409);
      yield* this.#confirmed(operation);
    }
    if (task === 'refused') {
      const body = dressed(payout('-1'));
      for (const n of [1, 2])
        expected(yield* this.#create('payouts.create', body, this.#key(`${name}-${String(n)}`)), 400);
    }
    if (task === 'wrong-code' || task === 'code-twice') {
      const body = dressed(collection(this.#amount(at)));
      const operation = must(yield* this.#create('payins.create', body, this.#key(name)));
      if (task === 'wrong-code') return yield* this.#act('payins.confirm', operation, 'failed', '000000');
      if (operation.status === 'failed') throw new Undone('failed');
      yield* this.#act('payins.confirm', operation, 'confirmed', '123456');
      const again = { route: 'payins.confirm', operation: operation.id, body: { code: '123456' } } as const;
      expected(yield* this.#send(again), 409);
    }
    if (task === 'unknown')
      expected(yield* this.#read({ route: 'payouts.get', operation: 'operation-of-nobody' }), 404);
    if (task === 'bad-bearer') expected(yield* this.#read({ route: 'balances', bearer: 'wrong' }), 401);
    if (task === 'feed') expected(yield* this.#read({ route: 'events.list' }), 200);
  }

  *#paid(route: EndpointId, body: Body, name: string): Program {
    for (let n = 0; ; n += 1) {
      const isLast = n >= this.habits.replacements;
      const own = n === 0 ? name : `${name}-again-${String(n)}`;
      const known = this.memory.get(own) ?? {
        body: this.#dressed(body, this.habits.renames ? own : name),
        key: this.#key(own),
      };
      this.memory.set(own, known);
      const answer = yield* this.#create(route, known.body, known.key);
      const isRefused = answer.kind === 'readable' && [400, 401, 403].includes(answer.status);
      if (isRefused && !isLast && this.mistake !== 'no-repeat-4xx') {
        const { references, stamps, renames, drawsAmounts } = this.habits;
        const isChanged =
          stamps || drawsAmounts || references === 'drawn' || (references === 'fixed' && renames);
        if (!isChanged) throw new Undone('refused');
        continue;
      }
      const operation = must(answer);
      const state = yield* this.#outcome(operation, body['method'] === 'debit_otp');
      if (state === 'confirmed') return;
      if (this.mistake === 'says-done-failed') return;
      if (isLast) throw new Undone(state);
    }
  }

  *#confirmed(operation: OperationState): Program {
    const state = yield* this.#settled(operation);
    if (state !== 'confirmed') throw new Undone(state);
  }

  *#outcome(operation: OperationState, hasCode: boolean): Program<string> {
    if (hasCode && operation.status === 'pending')
      yield* this.#act('payins.confirm', operation, null, '123456');
    return yield* this.#settled(operation);
  }

  *#settled({ id }: OperationState): Program<string> {
    for (let n = 0; n < 40; n += 1) {
      const state = must(yield* this.#read({ route: 'transactions.get', operation: id }));
      if (state.status !== 'pending') return state.status;
      yield { waitMs: 100 };
    }
    throw new Undone('pending');
  }

  *#act(route: EndpointId, { id }: OperationState, wanted: string | null, code?: string): Program {
    const isWaited = ({ status, reason }: OperationState): boolean =>
      status === 'pending' && (reason === 'awaiting_code' || route === 'payins.cancel');
    for (let n = 0; n < this.habits.attempts + 1; n += 1) {
      const body = code === undefined ? {} : { body: { code } };
      const answer = yield* this.#send({ route, operation: id, ...body });
      if (!isOutcomeUnknown(answer)) {
        const { status } = must(answer);
        if (wanted !== null && status !== wanted) throw new Undone(status);
        return;
      }
      yield* this.#pause(answer, n + 1);
      if (this.mistake === 'look-first') continue;
      const state = must(yield* this.#read({ route: 'payins.get', operation: id }));
      if (isWaited(state) || this.mistake === 'code-once') continue;
      if (wanted !== null && state.status !== wanted) throw new Undone(state.status);
      return;
    }
    throw new Undone('open');
  }

  *#create(route: EndpointId, body: Body, key: string): Program<SeenAnswer> {
    let [text, own] = [JSON.stringify(body), key];
    let wasOpen = false;
    for (let n = 1; ; n += 1) {
      const answer = yield* this.#send({ route, key: own, body: text });
      if (wasOpen && answer.kind === 'readable' && [401, 403].includes(answer.status)) return NO_ANSWER;
      wasOpen ||= isOutcomeUnknown(answer);
      const isRefused =
        this.mistake === 'no-repeat-4xx' && answer.kind === 'readable' && answer.status >= 400;
      const isOpen =
        isOutcomeUnknown(answer) || (answer.kind === 'readable' && answer.status === 429) || isRefused;
      if (!isOpen || n >= this.habits.attempts) return answer;
      yield* this.#pause(answer, n);
      if (this.mistake === 'same-key') own = `${key}-${String(n)}`;
      if (this.mistake === 'paid-once')
        [own, text] = [`${key}-${String(n)}`, JSON.stringify({ ...body, concept: `try ${String(n)}` })];
      if (this.mistake === 'same-body')
        text = JSON.stringify({ ...body, metadata: { at: this.service.nowMs } });
      if (this.mistake === 'same-bytes')
        text = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()));
    }
  }

  *#read(sending: Sending): Program<SeenAnswer> {
    for (let n = 1; ; n += 1) {
      const answer = yield* this.#send(sending);
      const isOpen = isOutcomeUnknown(answer) || (answer.kind === 'readable' && answer.status === 429);
      if (!isOpen || n >= this.habits.attempts) return answer;
      yield* this.#pause(answer, n);
    }
  }

  *#pause(answer: SeenAnswer, n: number): Program {
    const asked = answer.kind === 'readable' ? (answer.retryAfterSeconds ?? 0) * 1000 : 0;
    yield { waitMs: this.mistake === 'retry-after' ? 10 : Math.max(asked, 40 * n) };
  }

  *#send(sending: Sending): Program<SeenAnswer> {
    return yield { send: { ...sending, timeoutMs: this.habits.timeoutMs } };
  }

  *#share(event: string, { id, status }: OperationState): Program {
    if (status !== 'confirmed' || !this.#isPayin(id) || this.#taken.has(event)) return;
    this.#taken.add(event);
    this.#toShare += 1;
    yield* this.#confirmed(alive(yield* this.#create('payouts.create', payout('5.00'), `share-of-${id}`)));
    this.#shared += 1;
  }

  #isPayin(id: string): boolean {
    return this.service.operations.some((one) => one.id === id && one.route === 'payins.create');
  }

  #amount(at: number): string {
    return this.habits.isOneBody ? '20.00' : `${String(20 + at)}.00`;
  }

  #key(name: string): string {
    return this.habits.drawsKeys ? `${name}-${String(this.random.below(1e9))}` : `${name}-key`;
  }

  #dressed(body: Body, name: string): Body {
    const { references, stamps, drawsAmounts } = this.habits;
    const drawn = String(this.random.below(1e9));
    const isDrawn = drawsAmounts && body['amount'] !== '-1';
    return {
      ...body,
      ...(isDrawn ? { amount: `${String(1 + this.random.below(500))}.00`, purpose: `for ${drawn}` } : {}),
      ...(references === 'none' ? {} : { reference: references === 'fixed' ? name : `r-${drawn}` }),
      ...(stamps ? { metadata: { sent_at: drawn } } : {}),
    };
  }
}

function payout(amount: string): Body {
  return {
    ...{ amount, country: 'VE', currency: 'VES', method: 'mobile_payment' },
    beneficiary: { bank_code: '0105', document: { type: 'V', number: '12345678' } },
  };
}

function collection(amount: string): Body {
  return {
    ...{ amount, country: 'VE', currency: 'VES', method: 'debit_otp' },
    payer: { bank_code: '0102', phone: '04121234567' },
  };
}

function must(answer: SeenAnswer): OperationState {
  if (answer.kind !== 'readable' || answer.status >= 300 || answer.operation === null)
    throw new Undone('no success');
  return answer.operation;
}

function alive(answer: SeenAnswer): OperationState {
  const operation = must(answer);
  if (operation.status === 'failed') throw new Undone('failed');
  return operation;
}

function expected(answer: SeenAnswer, status: number): void {
  if (answer.kind !== 'readable' || answer.status !== status) throw new Undone(`not ${String(status)}`);
}
