import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOneOf, OPEN_STATES } from '../../../../src/storage/batches/row-state.js';
import type { ShownRow } from '../../../../src/storage/batches/row.js';
import { isoSeconds } from '../../../../src/runtime/clock.js';
import type { Seeded } from '../../../support/seeded.js';
import { batchesOf, requestsOf } from '../books.js';
import { createWords, type Account, type Row } from '../catalog.js';
import { wordsOf, type Ended, type Machine } from '../machine.js';
import { HOUR_MS, neverWas, type Operation } from '../service.js';
import type { Turns } from '../turns.js';
import type { SimulatedWorld } from '../world.js';
import type { Payer, PayerBelief, Payment, Standing } from './payment.js';

export interface PayerHabits {
  readonly failRate: number;
  readonly refusedRate: number;
  readonly differRate: number;
  readonly asksEvents: boolean;
}

const BEFORE_MS = 0.45 * HOUR_MS;
const OLD: readonly string[] = [
  'too_old',
  'time_unknown',
  'clocks_disagree',
  'company_unknown',
  'gone',
  'forgotten',
];
const USED: readonly string[] = ['key_used', 'idempotency_key_reused'];

export class Payers {
  readonly payments: Payment[] = [];
  readonly starts: number[] = [];
  readonly tally = new Map<string, number>();
  readonly #world: SimulatedWorld;
  readonly #habits: PayerHabits;
  readonly #random: Seeded;
  readonly #groups = new Map<string, readonly Payer[]>();
  readonly #accounts = new Map<string, Account>();
  #batches = 0;

  constructor(world: SimulatedWorld, habits: PayerHabits, random: Seeded) {
    this.#world = world;
    this.#habits = habits;
    this.#random = random;
  }

  count(name: string): void {
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  payer(payment: Payment, machine: Machine): Payer {
    const random = this.#random;
    const { failRate, refusedRate, differRate } = this.#habits;
    const [first] = payment.payers;
    const kind = random.pick(['single', 'batch'] as const);
    const drawn = random.chance(refusedRate) ? 'refused' : random.chance(failRate) ? 'failing' : 'good';
    const payer: Payer = {
      ...{ payment, machine, kind },
      amount: first !== undefined && random.chance(differRate) ? payment.amount + 1 : payment.amount,
      account: first === undefined ? drawn : random.chance(0.5) ? 'good' : first.account,
      ...{ selection: [], belief: null, operation: null, code: null, next: null, another: null },
      ...{ key: null, batch: null, before: null, asked: 0, hasGivenUp: false },
    };
    if (payment.month > 0)
      payer.selection = this.#selection(
        payer,
        random.pick(['date', 'date', 'other', 'plain', 'after', 'printed'] as const),
      );
    payment.payers.push(payer);
    return payer;
  }

  #selection(
    { payment, kind }: Pick<Payer, 'payment' | 'kind'>,
    style: 'date' | 'other' | 'plain' | 'after' | 'printed',
  ): readonly string[] {
    const start = this.#start(payment);
    const since = (ms: number): readonly string[] => ['--new-since', isoSeconds(ms)];
    if (style === 'date') return since(start - 0.5 * HOUR_MS);
    if (style === 'other') return since(start - 0.8 * HOUR_MS);
    if (style === 'plain') return [];
    const last = this.#world.service.ledger.findLast(
      (one) =>
        one.reference === payment.reference &&
        one.status !== 'failed' &&
        !neverWas(one) &&
        one.createdAtMs < start - 0.9 * HOUR_MS,
    );
    if (last === undefined) return since(start - 0.5 * HOUR_MS);
    if (style === 'printed' || kind === 'batch') return since(last.createdAtMs + 1000);
    return last.status === 'pending' ? since(start - 0.5 * HOUR_MS) : ['--new-payment', last.id];
  }

  #start({ month }: Payment): number {
    return this.starts[month] ?? Infinity;
  }

  #isOfEarlierMonth({ payment }: Payer, atMs: number): boolean {
    return payment.month > 0 && atMs < this.#start(payment) - BEFORE_MS;
  }

  #isOfLaterMonth({ payment }: Payer, atMs: number): boolean {
    return atMs >= (this.starts[payment.month + 1] ?? Infinity) - 0.5 * HOUR_MS;
  }

  isDone({ belief, hasGivenUp }: Payer): boolean {
    return belief === 'paid' || hasGivenUp;
  }

  async type(payer: Payer, anew = false): Promise<void> {
    if (payer.belief === 'rejected' && payer.account === 'refused') payer.account = 'good';
    if (payer.belief === 'failed' && payer.account === 'failing' && this.#random.chance(0.7))
      payer.account = 'good';
    if (payer.another !== null) {
      const line = payer.another;
      payer.another = null;
      return this.#follow(payer, line);
    }
    if (payer.kind === 'single') {
      this.learn(payer, await this.#line(payer, this.createLine(payer)));
      return;
    }
    const row = payer.batch === null || anew ? null : await this.#rowOf(payer);
    if (row === null || ['approval_expired', 'company_unknown'].includes(payer.code ?? ''))
      return this.typeBatch(payer);
    const isRetried = ['failed', 'rejected'].includes(row.state);
    if (isRetried && this.#accounts.get(nameIn(payer)) !== payer.account) return this.typeBatch(payer);
    const verb = isRetried ? 'retry' : 'resume';
    await this.#onBatch(payer, payer.batch ?? '', [
      ...['batches', verb, '--live', '--json', '--concurrency', '1', payer.batch ?? ''],
    ]);
  }

  createLine({ payment, amount, account, selection }: Payer): string[] {
    const row: Row = { reference: payment.reference, amount, person: payment.person, account };
    return [...createWords('payout', row), ...selection, '--live', '--json'];
  }

  async typeTogether(payers: readonly Payer[], turns: Turns): Promise<void> {
    const lines = payers.map((payer) => this.createLine(payer));
    const machines = payers.map(({ machine }) => machine);
    const number = payers[0]?.payment.number ?? 0;
    const ended = await this.#world.together(machines, lines, number, 'A', turns);
    payers.forEach((payer, at) => {
      const one = ended[at];
      if (one !== undefined) this.learn(payer, one);
    });
  }

  async typeBatch(payer: Payer): Promise<void> {
    const { name, line } = this.#batchLine(payer);
    await this.#onBatch(payer, name, line);
  }

  async plan(payer: Payer): Promise<void> {
    const { name, line } = this.#batchLine(payer);
    const path = join(payer.machine.home, `${name}.plan`);
    const planned = await this.#line(payer, [...line, '--plan', path, '--skip-paid']);
    await this.learnBatch(payer, name, planned);
    if (planned.exitCode !== 0) return;
    const plan = readFileSync(path, 'utf8');
    for (const one of this.#groups.get(name) ?? []) {
      const left = plan.includes(`"${one.payment.reference}"`) ? undefined : this.#paidOf(one);
      if (left !== undefined) Object.assign(one, { belief: 'paid', operation: left.id });
    }
    this.#world.hours(20 * this.#random.fraction());
    await this.#onBatch(payer, name, ['batches', 'apply', path, '--live', '--json', '--concurrency', '1']);
  }

  #paidOf(payer: Payer): Operation | undefined {
    return this.#world.service.ledger.findLast(
      ({ reference, status, createdAtMs }) =>
        reference === payer.payment.reference &&
        status !== 'failed' &&
        !this.#isOfEarlierMonth(payer, createdAtMs),
    );
  }

  #batchLine(payer: Payer): { readonly name: string; readonly line: readonly string[] } {
    const beside = this.payments
      .filter(({ month }) => month === payer.payment.month)
      .filter((one) => one !== payer.payment && this.#random.chance(0.4))
      .flatMap(({ payers }) => {
        const other = payers.find(
          (one) => one.machine === payer.machine && one.kind === 'batch' && one.belief === null,
        );
        return other === undefined ? [] : [other];
      });
    this.#batches += 1;
    const name = `b${String(this.#batches)}`;
    const group = [payer, ...beside];
    this.#groups.set(name, group);
    for (const one of group) {
      Object.assign(one, { batch: name, selection: payer.selection });
      this.#accounts.set(nameIn(one), one.account);
    }
    const rows = group.map(({ payment, amount, account }): Row => {
      return { reference: payment.reference, amount, person: payment.person, account };
    });
    return { name, line: this.#world.batchLine(payer.machine, name, 'payout', rows, payer.selection) };
  }

  async #onBatch(payer: Payer, name: string, line: readonly string[]): Promise<void> {
    await this.learnBatch(payer, name, await this.#line(payer, line));
  }

  #line({ machine, payment }: Payer, words: readonly string[]): Promise<Ended> {
    return this.#world.type(machine, words, payment.number);
  }

  learn(payer: Payer, ended: Ended): void {
    const { exitCode, error, isKilled, stdout } = ended;
    payer.code = isKilled ? 'killed' : (error?.code ?? null);
    payer.next = isKilled ? null : (error?.next_command ?? null);
    payer.key = error?.idempotency_key ?? detailIn(ended).idempotency_key ?? payer.key;
    const shown = operationIn(stdout);
    if (shown !== null) {
      this.#believe(payer, shown.id, shown.status);
      return;
    }
    const standing = standingIn(ended);
    const isKnown = payer.belief === 'paid' || payer.belief === 'pending';
    if (isKilled || exitCode === 12) {
      if (!isKnown) payer.belief = 'unknown';
    } else if (payer.code === 'reference_contradicted') {
      payer.belief = 'wait';
      payer.next = resolveLineIn(error?.message ?? '') ?? payer.next;
    } else if (standing !== null) this.#stands(payer, standing, otherLineIn(error?.message ?? ''));
    else if (exitCode === 6 || exitCode === 14) payer.belief = 'rejected';
    else if (payer.code === 'reference_open') {
      payer.belief = payer.next?.includes(' create ') === true ? 'not sent' : 'unknown';
      if (resolveLineIn(error?.message ?? '') !== null) payer.code = 'forgotten';
    } else if (OLD.includes(payer.code ?? '')) payer.belief = 'unknown';
    else if (USED.includes(payer.code ?? '')) payer.belief = 'wait';
    else if (!isKnown && payer.belief !== 'unknown') payer.belief = 'not sent';
  }

  #believe(payer: Payer, id: string, status: string): void {
    const one = this.#world.service.ledger.find((operation) => operation.id === id);
    const { payment } = payer;
    if (one?.reference !== payment.reference) {
      this.count('shown another operation');
      return;
    }
    if (this.#isOfEarlierMonth(payer, one.createdAtMs) || this.#isOfLaterMonth(payer, one.createdAtMs)) {
      if (this.#isOfLaterMonth(payer, one.createdAtMs)) payer.hasGivenUp = true;
      else this.#meansAnother(payer, one.createdAtMs, id);
      return;
    }
    if (status === 'confirmed' && (one.status !== 'confirmed' || neverWas(one))) this.count('lied');
    payer.belief = status === 'confirmed' ? 'paid' : status === 'failed' ? 'failed' : 'pending';
    payer.operation = status === 'failed' ? null : id;
  }

  #stands(payer: Payer, { operation, status, atMs }: Standing, another: string | null): void {
    if (this.#isOfLaterMonth(payer, atMs)) {
      payer.hasGivenUp = true;
      return;
    }
    if (!this.#isOfEarlierMonth(payer, atMs)) {
      payer.belief = status === 'confirmed' ? 'paid' : status === 'gone' ? 'wait' : 'pending';
      payer.operation = operation;
      return;
    }
    if (status === 'pending') {
      payer.belief = 'wait';
      return;
    }
    payer.next = null;
    payer.another = another;
    payer.belief = 'not sent';
    if (another === null) this.#meansAnother(payer, atMs, operation);
  }

  #meansAnother(payer: Payer, atMs: number, operation: string): void {
    payer.belief = 'not sent';
    payer.selection =
      payer.kind === 'single' ? ['--new-payment', operation] : ['--new-since', isoSeconds(atMs + 1000)];
    payer.batch = null;
  }

  async learnBatch(typist: Payer, name: string, ended: Ended): Promise<void> {
    const { error, isKilled, exitCode } = ended;
    const book = (await batchesOf(typist.machine)).find(({ batch }) => batch.name === name);
    const group = this.#groups.get(name) ?? [];
    const text = exitCode === 13 ? (error?.message ?? '') : '';
    const named = rowsIn(text);
    const next = isKilled
      ? null
      : (/^To follow it: (svc .*)$/m.exec(text)?.[1] ?? error?.next_command ?? null);
    if (!group.includes(typist)) typist.next = exitCode === 13 ? next : null;
    const isAnother = group.every((one) => {
      const at = named.get(one.payment.reference)?.atMs;
      return at === undefined || this.#isOfEarlierMonth(one, at);
    });
    for (const payer of group) {
      if (payer.batch !== name) continue;
      payer.code = isKilled ? 'killed' : (error?.code ?? null);
      payer.next = payer === typist ? next : null;
      const row = book?.rows.find(({ reference }) => reference === payer.payment.reference);
      const standing = named.get(payer.payment.reference);
      if (row !== undefined && row.state !== 'planned') this.#learnRow(payer, row);
      else if (payer.belief === 'paid' || payer.belief === 'pending') continue;
      else if (standing !== undefined && standing !== null)
        this.#stands(payer, standing, payer === typist && isAnother ? otherLineIn(text) : null);
      else if (isKilled || standing === null) payer.belief = 'unknown';
      else payer.belief = 'not sent';
      const [, reference, key] = FORGOTTEN.exec(text) ?? [];
      if (payer.belief === 'unknown' && reference === payer.payment.reference)
        Object.assign(payer, { code: 'forgotten', key });
    }
    for (const { reference, operation, status = 'pending' } of skippedIn(ended)) {
      const payer = group.find((one) => one.payment.reference === reference);
      if (payer !== undefined && !(payer.belief === 'paid' && payer.operation !== operation))
        this.#believe(payer, operation, status);
    }
  }

  #learnRow(payer: Payer, { state, operation, status, code, key }: ShownRow): void {
    const isKnown = payer.belief === 'paid' || payer.belief === 'pending';
    const end = ((): PayerBelief => {
      if (state === 'confirmed' || (state === 'earlier' && status !== 'pending')) return 'paid';
      if (state === 'accepted' || state === 'earlier') return 'pending';
      return state === 'failed' || state === 'rejected' ? state : 'unknown';
    })();
    if ((end === 'paid' || end === 'pending') && operation !== null) {
      this.#believe(payer, operation, end === 'paid' ? 'confirmed' : 'pending');
      return;
    }
    if (isKnown && (end !== 'failed' || operation !== payer.operation)) return;
    payer.belief = end;
    payer.key = key;
    if (end === 'unknown' && code !== null) payer.code = code;
  }

  async #rowOf({ machine, batch, payment }: Payer): Promise<ShownRow | null> {
    const book = (await batchesOf(machine)).find((one) => one.batch.name === batch);
    return book?.rows.find(({ reference }) => reference === payment.reference) ?? null;
  }

  async pursue(payer: Payer): Promise<void> {
    if (this.isDone(payer)) return;
    if (payer.belief === 'pending') return this.#look(payer);
    const isOver = this.starts[payer.payment.month + 1] !== undefined;
    if (isOver && payer.belief !== 'unknown') {
      payer.hasGivenUp = true;
      return;
    }
    if (await this.#needsSomebody(payer)) {
      payer.asked += 1;
      if (payer.asked % 2 === 0) return this.#decide(payer);
    }
    if (payer.next !== null) return this.followNext(payer);
    if (payer.belief === 'failed' && payer.account === 'failing' && this.#random.chance(0.3)) {
      payer.hasGivenUp = true;
      return;
    }
    if (isOver && payer.kind === 'single') {
      if (!(await this.#hasOpen(payer))) payer.hasGivenUp = true;
      else if (payer.key !== null) await this.#follow(payer, `svc requests repeat --live -- ${payer.key}`);
      else await this.type(payer);
      return;
    }
    if (isOver && (await this.#rowOf(payer)) === null) {
      payer.hasGivenUp = true;
      return;
    }
    return this.type(payer);
  }

  async #hasOpen({ machine, key }: Payer): Promise<boolean> {
    return (await requestsOf(machine)).some(
      ({ state, idempotencyKey }) => state === 'open' && (key === null || idempotencyKey === key),
    );
  }

  async #needsSomebody(payer: Payer): Promise<boolean> {
    const isStopped = payer.belief === 'unknown' || payer.belief === 'wait';
    if (isStopped && [...OLD, ...USED].includes(payer.code ?? '')) return true;
    return (await this.#reviewed(payer)) !== null;
  }

  async #reviewed(payer: Payer): Promise<{ batch: string; row: ShownRow } | null> {
    for (const batch of [payer.before, payer.batch]) {
      if (batch === null) continue;
      const row = await this.#rowOf({ ...payer, batch });
      const isLeft = payer.code === 'company_unknown' && row !== null && isOneOf(OPEN_STATES, row.state);
      if (row !== null && (isLeft || row.state === 'needs_review')) return { batch, row };
    }
    return null;
  }

  #isIn(payer: Payer, batch: string): boolean {
    return this.#groups.get(batch)?.includes(payer) === true;
  }

  async followNext(payer: Payer): Promise<void> {
    const line = payer.next;
    payer.next = null;
    if (line !== null) await this.#follow(payer, line);
  }

  async #follow(payer: Payer, line: string): Promise<void> {
    const words = wordsOf(line);
    const isJson = words.includes('--json');
    const cut = words.includes('--') ? words.indexOf('--') : words.length;
    const typed = isJson ? words : [...words.slice(0, cut), '--json', ...words.slice(cut)];
    const ended = await this.#line(payer, typed);
    if (words.includes('batches') || words.includes('batch')) {
      const name = words[words.indexOf('--batch') + 1] ?? '';
      const batch = words.includes('batches') ? (words.find((word) => /^b[0-9]+$/.test(word)) ?? '') : name;
      if (this.#isIn(payer, batch)) payer.batch = batch;
      else payer.before = batch;
      const isStubborn = words.includes('export') && payer.code === 'references_paid';
      await this.learnBatch(payer, batch, ended);
      if (isStubborn && this.#isIn(payer, batch) && !this.isDone(payer) && payer.belief !== 'unknown')
        return this.typeBatch(payer);
      if (this.#groups.get(batch)?.includes(payer) !== true && payer.belief === 'unknown')
        payer.belief = 'not sent';
      return;
    }
    const shown = operationIn(ended.stdout);
    const one = this.#world.service.ledger.find(({ id }) => id === shown?.id);
    if (payer.kind === 'batch' && one !== undefined && one.reference !== payer.payment.reference) {
      if (payer.belief === 'unknown') payer.belief = 'not sent';
      return;
    }
    if (payer.kind === 'single' && (ended.error?.code === 'not_found' || ended.error?.code === 'forgotten')) {
      const key = words.at(-1);
      const settled = (await requestsOf(payer.machine)).find((one) => one.idempotencyKey === key)?.settled;
      const made = this.#world.service.ledger.find(({ id }) => id === settled?.operation);
      if (settled?.status === 'confirmed' && made?.reference === payer.payment.reference)
        this.#believe(payer, made.id, settled.status);
      else if (payer.belief === 'unknown') payer.belief = 'not sent';
      return;
    }
    const was = payer.next;
    this.learn(payer, ended);
    if (payer.kind === 'batch' && payer.belief === 'unknown' && was === payer.next) payer.next = null;
  }

  async #look(payer: Payer): Promise<void> {
    const row = payer.kind === 'batch' ? await this.#rowOf(payer) : null;
    if (row !== null && payer.batch !== null)
      await this.#onBatch(payer, payer.batch, [
        ...['batches', 'resume', '--live', '--json', '--concurrency', '1', '--wait-timeout', '1s'],
        payer.batch,
      ]);
    if (payer.belief !== 'pending' || payer.operation === null) return;
    const ended = await this.#line(payer, ['transactions', 'get', '--live', '--json', payer.operation]);
    const shown = operationIn(ended.stdout);
    if (shown !== null) {
      this.#believe(payer, shown.id, shown.status);
      return;
    }
    payer.asked += 1;
    const one = this.#world.service.ledger.find(({ id }) => id === payer.operation);
    if (ended.exitCode !== 5 || payer.asked < 2 || one === undefined) return;
    if (neverWas(one)) payer.belief = 'unknown';
  }

  async #decide(payer: Payer): Promise<void> {
    const { service } = this.#world;
    const { payment, machine } = payer;
    const reviewed = await this.#reviewed(payer);
    if (reviewed?.row.code === 'contradicted') {
      const { batch, row } = reviewed;
      const words = ['resolve', batch, '--reference', payment.reference, '--operation', row.operation ?? ''];
      const told = await this.#line(payer, ['batches', ...words, '--live', '--json']);
      return this.learnBatch(payer, batch, told);
    }
    const isKept = (await requestsOf(machine)).some(({ idempotencyKey }) => idempotencyKey === payer.key);
    const isRow = reviewed !== null && !(isKept && OLD.includes(payer.code ?? ''));
    const key = isRow ? reviewed.row.key : payer.key;
    const made = service.paymentOf('A', key, payment.reference, this.#start(payment) - BEFORE_MS);
    const shown = this.#habits.asksEvents ? service.shown('A', 'payout', payment.reference) : [made];
    const one = shown.find((operation) => operation?.id === made?.id) ?? null;
    this.#world.say(`# asks about ${String(key)}: ${one?.id.slice(-4) ?? 'nothing'}`);
    if (one !== null && service.isGone(one)) return;
    const way = one === null ? ['--not-paid', '--yes'] : ['--operation', one.id];
    if (isRow) {
      const { batch } = reviewed;
      const words = ['resolve', batch, '--reference', payment.reference, ...way, '--live', '--json'];
      await this.learnBatch(payer, batch, await this.#line(payer, ['batches', ...words]));
      if (one !== null) this.#told(payer, one);
      else if (!this.#isIn(payer, batch)) payer.belief = 'not sent';
      return;
    }
    const ended = await this.#line(payer, [
      ...['requests', 'resolve', ...way, '--live', '--json', '--', key ?? ''],
    ]);
    payer.code = null;
    payer.next = foundLineIn(ended.error?.message ?? '') ?? ended.error?.next_command ?? null;
    if (one !== null) this.#told(payer, one);
    else if (ended.exitCode === 0 || ended.error?.code === 'not_found') payer.belief = 'not sent';
  }

  #told(payer: Payer, one: Operation): void {
    this.#believe(payer, one.id, one.status);
    if (payer.belief === 'unknown') payer.belief = 'wait';
  }
}

function nameIn({ batch, payment }: Payer): string {
  return `${String(batch)} ${payment.reference}`;
}

interface Skipped {
  readonly reference: string;
  readonly operation: string;
  readonly status?: string;
}

function skippedIn({ stdout }: Ended): readonly Skipped[] {
  try {
    return (JSON.parse(stdout) as { skipped_pending?: readonly Skipped[] }).skipped_pending ?? [];
  } catch {
    return [];
  }
}

function operationIn(stdout: string): { id: string; status: string } | null {
  try {
    const { id, status } = JSON.parse(stdout) as { id?: unknown; status?: unknown };
    return typeof id === 'string' && typeof status === 'string' ? { id, status } : null;
  } catch {
    return null;
  }
}

interface Detail {
  readonly operation_id?: string | null;
  readonly idempotency_key?: string | null;
  readonly status?: Standing['status'] | null;
  readonly at?: string | null;
}

function detailIn({ error }: Ended): Detail {
  const [first] = (error?.details ?? []) as readonly Detail[];
  return first ?? {};
}

function standingIn(ended: Ended): Standing | null {
  const { operation_id: operation, status, at } = detailIn(ended);
  if (operation === undefined || operation === null || at === undefined || at === null) return null;
  return { operation, status: status ?? 'confirmed', atMs: Date.parse(at) };
}

function otherLineIn(message: string): string | null {
  return /^If (?:this is|you mean) another payment: (svc .*)$/im.exec(message)?.[1] ?? null;
}

function foundLineIn(message: string): string | null {
  return (
    /^(?:If this is its payment|To ask which of its two ends is true): (svc .*)$/m.exec(message)?.[1] ?? null
  );
}

function resolveLineIn(message: string): string | null {
  return /svc (?:requests|batches) resolve [^\n]*--operation [^\n]*/.exec(message)?.[0] ?? null;
}

const FORGOTTEN = /svc operations list --reference (\S+)[^\n]*\n[^\n]*svc requests resolve [^\n]*-- (\S+),/;

const PAYMENT = /([0-9a-f-]{36}), [^,]+, ([a-z]+) (?:on|since) ([0-9TZ:-]+)/g;

function rowsIn(message: string): Map<string, Standing | null> {
  const rows = new Map<string, Standing | null>();
  for (const [, reference = '', text = ''] of message.matchAll(/^line \d+: ([^:]+): (.*)$/gm)) {
    const last = [...text.matchAll(PAYMENT)].at(-1);
    const isOpen = /outcome unknown|about to be sent/.test(text);
    const [, operation = '', status = '', at = ''] = last ?? [];
    rows.set(
      reference,
      isOpen || last === undefined
        ? null
        : { operation, status: status as Standing['status'], atMs: Date.parse(at) },
    );
  }
  return rows;
}
