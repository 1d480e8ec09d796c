import { foldReference } from '../../../src/contract/reference.js';
import type { Direction } from '../../../src/contract/operation.js';
import { Seeded } from '../../support/seeded.js';
import type { Act, Variant } from './acts.js';
import { batchesOf, requestsOf } from './books.js';
import { createWords, type Account, type Row } from './catalog.js';
import type { Ended, Machine } from './machine.js';
import { resolveAll } from './resolving.js';
import { HOUR_MS, type CompanyName } from './service.js';
import { nameOf, type SimulatedWorld } from './world.js';

interface Payroll {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly intent: number;
  readonly words: readonly string[];
}

interface Typed {
  readonly machine: Machine;
  readonly direction: Direction;
  readonly words: readonly string[];
  readonly reference: string;
  readonly intent: number;
  readonly hasOwnKey: boolean;
}

const MONTH_MS = 500 * HOUR_MS;
const LINES_MAX = 3;

export class Operator {
  readonly #world: SimulatedWorld;
  readonly #payrolls = new Map<Direction, Payroll>();
  readonly #byHand = new Set<string>();
  readonly #restored = new Set<Machine>();
  #hasLostBooks = false;
  #random = new Seeded(0);
  #lastMonthMs = -Infinity;
  #month = 0;
  #names = 0;
  #typed: Typed | null = null;

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  async do(act: Act): Promise<void> {
    const world = this.#world;
    if (act.kind === 'wait') {
      world.hours(act.hours);
      world.say(`wait ${String(act.hours)} h`);
      return;
    }
    const machine = world.machines[act.machine];
    if ('seed' in act) {
      this.#random = new Seeded(act.seed);
      world.chance(this.#random);
    }
    world.say(
      `# ${Object.entries(act)
        .map(([name, value]) => (name === 'seed' ? '' : String(value)))
        .join(' ')}`,
    );
    switch (act.kind) {
      case 'month':
        return this.#pay(machine, act.direction, act.sameReferences);
      case 'rerun':
        return this.#rerun(machine, act.direction, act.variant);
      case 'resume':
      case 'retry':
        return this.#goOn(machine, act.direction, act.kind, act.isOtherCompany);
      case 'resolve':
        return this.#resolve(machine, act.direction);
      case 'single':
        return this.#payByHand(machine, act.direction, act.hasOwnKey);
      case 'again':
        return this.#typeAgain();
      case 'repeat':
        return this.#repeatOpen(machine);
      case 'forget':
        return this.#forget(machine);
      case 'backup':
        machine.backups.push(machine.snapshot());
        return;
      case 'restore': {
        const backup = machine.backups[act.backup % Math.max(1, machine.backups.length)];
        if (backup === undefined) return;
        machine.restore(backup, act.part);
        this.#restored.add(machine);
        this.#hasLostBooks = true;
        return;
      }
      case 'lose':
        machine.remove(act.part);
        if (act.part === 'mirror') return;
        machine.bornAtMs = world.now;
        this.#hasLostBooks = true;
        return;
      case 'copy': {
        const other = world.machines[act.machine === 0 ? 1 : 0];
        other.restore(machine.snapshot(), 'both');
        other.bornAtMs = machine.bornAtMs;
        this.#hasLostBooks = true;
        return;
      }
      case 'clock':
        machine.skewMs = act.hours * HOUR_MS;
    }
  }

  async #pay(machine: Machine, direction: Direction, sameReferences: boolean): Promise<void> {
    const world = this.#world;
    const random = this.#random;
    if (world.now < this.#lastMonthMs + MONTH_MS)
      world.hours((this.#lastMonthMs + MONTH_MS - world.now) / HOUR_MS);
    this.#lastMonthMs = world.now;
    this.#month += 1;
    const intent = this.#month;
    const names = sameReferences ? ['r1', 'r2'] : [`m${String(intent)}r1`, `m${String(intent)}r2`];
    const amount = random.pick([100, 100, 100 + intent]);
    const rows = names.slice(0, random.pick([1, 1, 2])).map((reference, person): Row => {
      const account: Account = random.pick(['good', 'good', 'good', 'failing', 'failing', 'refused']);
      return { reference, amount, person, account };
    });
    world.mean(direction, ...rows.map(({ reference }) => reference));
    const payroll = { name: this.#name(direction), rows, intent, words: [] };
    this.#payrolls.set(direction, payroll);
    if (!(await world.mayPay(machine, direction, 'A'))) return;
    let ended = await this.#begin(machine, direction, payroll);
    for (let line = 0; line < LINES_MAX && ended.error?.code === 'references_paid'; line += 1) {
      const printed = ended.error.next_command;
      const isFirst = printed !== null && / (resume|repeat) /.test(printed);
      if (isFirst) await this.#followed(machine, printed);
      const words = isFirst ? payroll.words : this.#onPurpose(ended.error.message);
      this.#payrolls.set(direction, { ...payroll, words });
      ended = await this.#begin(machine, direction, { ...payroll, words });
    }
  }

  #onPurpose(message: string): string[] {
    return /^If you mean another payment: .*(--new-since \S+)/m.exec(message)?.[1]?.split(' ') ?? [];
  }

  async #begin(
    machine: Machine,
    direction: Direction,
    payroll: Payroll,
    company: CompanyName = 'A',
  ): Promise<Ended> {
    const { name, rows, intent, words } = payroll;
    return this.#world.batch(machine, name, direction, rows, intent, words, company);
  }

  async #rerun(machine: Machine, direction: Direction, variant: Variant): Promise<void> {
    const world = this.#world;
    const random = this.#random;
    const known = this.#payrolls.get(direction);
    if (known === undefined) return;
    const company = variant === 'other_company' ? 'B' : 'A';
    let payroll = this.#varied(known, direction, variant);
    if (variant === 'amount' || variant === 'mended_account')
      this.#payrolls.set(direction, { ...known, rows: payroll.rows });
    if (!(await world.mayPay(machine, direction, company))) return;
    for (let line = 0; line < LINES_MAX; line += 1) {
      const { error } = await this.#begin(machine, direction, payroll, company);
      if (error === null) return;
      const printed = error.next_command;
      if (error.code === 'file_changed' || error.code === 'batch_differs') {
        if (random.chance(0.5) && printed !== null) return this.#followed(machine, printed, company);
        payroll = { ...payroll, name: this.#name(direction) };
      } else if (error.code === 'batch_finished') {
        if (random.chance(0.5)) await this.#type(machine, 'retry', payroll.name, company);
        return;
      } else if (error.code === 'references_paid') {
        const again = await this.#afterPaid(machine, direction, payroll, error, company);
        if (again === null) return;
        payroll = again;
      } else return;
    }
  }

  async #afterPaid(
    machine: Machine,
    direction: Direction,
    payroll: Payroll,
    { message, next_command: printed }: NonNullable<Ended['error']>,
    company: CompanyName,
  ): Promise<Payroll | null> {
    if (printed !== null && this.#random.chance(0.6)) {
      if (/ (resume|repeat) /.test(printed)) {
        await this.#followed(machine, printed, company);
        return null;
      }
      return { ...payroll, words: [...payroll.words, '--skip-paid'] };
    }
    const paid = new Set(
      [...message.matchAll(/^line \d+: (\S+?):/gm)].map(([, name]) => foldReference(name ?? '')),
    );
    const rows = payroll.rows.filter(({ reference }) => !paid.has(foldReference(reference)));
    if (rows.length === 0 || rows.length === payroll.rows.length) return null;
    return { ...payroll, name: this.#name(direction), rows };
  }

  #varied(payroll: Payroll, direction: Direction, variant: Variant): Payroll {
    const { rows } = payroll;
    const renamed = { ...payroll, name: this.#name(direction) };
    const sometimes = (): Payroll => (this.#random.chance(0.5) ? payroll : renamed);
    switch (variant) {
      case 'rename':
        return renamed;
      case 'amount':
        return { ...sometimes(), rows: rows.map((row) => ({ ...row, amount: row.amount + 7 })) };
      case 'mended_account':
        return { ...renamed, rows: rows.map((row) => ({ ...row, account: 'good' })) };
      case 'spelling':
        return {
          ...sometimes(),
          rows: rows.map((row) => ({ ...row, reference: row.reference.toUpperCase() })),
        };
      case 'split':
        return { ...renamed, rows: rows.slice(0, 1) };
      case 'dropped_lines':
        return { ...payroll, rows: rows.slice(-1) };
      default:
        return payroll;
    }
  }

  async #goOn(
    machine: Machine,
    direction: Direction,
    verb: 'resume' | 'retry',
    isOther: boolean,
  ): Promise<void> {
    const name = await this.#anyBatch(machine, direction);
    if (name === null || !(await this.#world.mayPay(machine, direction, 'A'))) return;
    const ended = await this.#type(machine, verb, name, isOther ? 'B' : 'A');
    const printed = ended.error?.code === 'references_paid' ? ended.error.next_command : null;
    if (printed === null || !this.#random.chance(0.7)) return;
    await this.#followed(machine, printed);
  }

  async #resolve(machine: Machine, direction: Direction): Promise<void> {
    const name = await this.#anyBatch(machine, direction);
    if (name !== null) await resolveAll(this.#world, machine, name);
  }

  async #payByHand(machine: Machine, direction: Direction, hasOwnKey: boolean): Promise<void> {
    const world = this.#world;
    const payroll = this.#payrolls.get(direction);
    if (payroll === undefined || (hasOwnKey && this.#hasLostBooks)) return;
    const row = this.#random.pick(payroll.rows);
    const { intent } = payroll;
    const name = `${nameOf(direction, row.reference)} ${String(intent)}`;
    if (this.#byHand.has(name)) return;
    const states: string[] = [];
    let isHere = false;
    for (const one of world.machines) {
      for (const { batch, rows } of await batchesOf(one)) {
        if (batch.direction !== direction || world.intents.get(batch.name) !== intent) continue;
        const mine = rows.filter(
          ({ reference }) => foldReference(reference) === foldReference(row.reference),
        );
        states.push(...mine.map(({ state }) => state));
        if (one === machine && mine.length > 0) isHere = true;
      }
    }
    const isShown = ['confirmed', 'accepted', 'earlier', 'planned', 'intent', 'unavailable'];
    if (!isHere || states.some((state) => isShown.includes(state))) return;
    this.#byHand.add(name);
    const key = hasOwnKey ? ['--idempotency-key', `own-key-of-${name.replaceAll(' ', '-')}`] : [];
    const words = [...createWords(direction, { ...row, account: 'good' }), ...key, '--live', '--json'];
    this.#typed = { machine, direction, words, reference: row.reference, intent, hasOwnKey };
    await world.type(machine, words, intent);
  }

  async #typeAgain(): Promise<void> {
    const typed = this.#typed;
    if (typed === null) return;
    const { machine, words, intent, hasOwnKey } = typed;
    if (machine.bornAtMs !== -Infinity || this.#restored.has(machine)) return;
    if (!hasOwnKey && !(await requestsOf(machine)).some(({ settled }) => settled === null)) return;
    const { error } = await this.#world.type(machine, words, intent);
    if (error?.next_command?.includes(' repeat ') === true) await this.#followed(machine, error.next_command);
  }

  async #repeatOpen(machine: Machine): Promise<void> {
    for (const { state, idempotencyKey } of await requestsOf(machine)) {
      if (state !== 'open') continue;
      const intent = this.#typed?.intent ?? 0;
      await this.#world.type(
        machine,
        ['requests', 'repeat', '--live', '--json', '--', idempotencyKey],
        intent,
      );
    }
  }

  async #forget(machine: Machine): Promise<void> {
    const typed = this.#typed;
    if (typed === null) return;
    for (const { state, idempotencyKey } of await requestsOf(machine)) {
      const advised = this.#world.advised.has(idempotencyKey);
      if (state === 'open' && advised)
        await this.#world.type(machine, ['requests', 'forget', '--json', '--yes', '--', idempotencyKey], 0);
    }
  }

  async #type(
    machine: Machine,
    verb: 'resume' | 'retry',
    name: string,
    company: CompanyName = 'A',
  ): Promise<Ended> {
    const words = ['batches', verb, '--live', '--json', '--concurrency', '1', name];
    const more = verb === 'retry' ? ['--failed'] : [];
    return this.#world.type(machine, [...words, ...more], this.#world.intents.get(name) ?? 0, company);
  }

  async #followed(machine: Machine, line: string, company: CompanyName = 'A'): Promise<void> {
    await this.#world.followPrinted(machine, line, this.#typed?.intent ?? 0, company);
  }

  async #anyBatch(machine: Machine, direction: Direction): Promise<string | null> {
    const names = (await batchesOf(machine))
      .filter(({ batch }) => batch.direction === direction)
      .map(({ batch }) => batch.name);
    return names.length === 0 ? null : this.#random.pick(names);
  }

  #name(direction: Direction): string {
    this.#names += 1;
    return `${direction}${String(this.#names)}`;
  }
}
