import { foldReference } from '../../../src/contract/reference.js';
import type { Direction } from '../../../src/contract/operation.js';
import type { Seeded } from '../../support/seeded.js';
import { batchesOf, requestsOf } from './books.js';
import { type Row, csvOf } from './catalog.js';
import { Machine, wordsOf, type Ended, type Life } from './machine.js';
import { WHOLE, type Program } from './program.js';
import { drawing, HOUR_MS, SimulatedService, type CompanyName, type Manners } from './service.js';
import type { Turns } from './turns.js';

export interface Setting extends Manners {
  readonly pendingHours: readonly number[];
  readonly killRate: number;
  readonly faultRate: number;
}

export const CALM: Setting = {
  ...{ memoryHours: Infinity, order: 'replay', hasLateEvents: false, createdAheadMs: 0, saysDate: true },
  ...{ pendingHours: [0], killRate: 0, faultRate: 0 },
};

const START_MS = Date.parse('2026-09-01T08:00:00Z');
const TICK_MS = 18_000;
const WAIT_MS = 96 * HOUR_MS;

export class SimulatedWorld {
  readonly service: SimulatedService;
  readonly machines: readonly [Machine, Machine];
  readonly meant = new Map<string, number>();
  readonly intents = new Map<string, number>();
  readonly log: string[] = [];
  readonly refusals: Record<string, number> = {};
  readonly lies: string[] = [];
  readonly advised = new Set<string>();
  isCareful = true;
  looks = true;
  life: (() => Life) | null = null;
  commands = 0;
  setting: Setting;
  readonly program: Program;

  constructor(setting: Setting, seed = 1, program: Program = WHOLE) {
    this.setting = setting;
    this.program = program;
    this.service = new SimulatedService(START_MS, setting, program);
    this.machines = [
      new Machine(this.service, seed * 2 + 1, program),
      new Machine(this.service, seed * 2 + 2, program),
    ];
    this.machines[1].bornAtMs = START_MS;
  }

  get now(): number {
    return this.service.nowMs;
  }

  hours(count: number): void {
    this.service.pass(Math.round(count * HOUR_MS));
  }

  say(text: string): void {
    this.log.push(`${((this.now - START_MS) / HOUR_MS).toFixed(2).padStart(8)} ${text}`);
  }

  chance(random: Seeded): void {
    this.service.draw = drawing(random, this.setting);
  }

  mean(direction: Direction, ...references: readonly string[]): void {
    for (const reference of references) {
      const name = nameOf(direction, reference);
      this.meant.set(name, (this.meant.get(name) ?? 0) + 1);
    }
  }

  async type(
    machine: Machine,
    words: readonly string[],
    intent: number,
    company: CompanyName = 'A',
  ): Promise<Ended> {
    this.service.pass(TICK_MS);
    this.service.intent = intent;
    this.commands += 1;
    const at = this.service.ledger.length;
    const ended = await machine.svc(
      words,
      company,
      (printed) => this.#answer(machine, printed, company),
      this.life?.() ?? {},
    );
    return this.#noted(machine, words, company, ended, at);
  }

  async together(
    machine: Machine | readonly Machine[],
    lines: readonly (readonly string[])[],
    intent: number,
    company: CompanyName,
    turns: Turns,
  ): Promise<Ended[]> {
    this.service.pass(TICK_MS);
    this.service.intent = intent;
    this.commands += lines.length;
    const at = this.service.ledger.length;
    const [first] = this.machines;
    const machineOf = (line: number): Machine =>
      machine instanceof Machine ? machine : (machine[line] ?? first);
    const ended = await turns.run(lines, (words, turn, line) => {
      const here = machineOf(line);
      return here.svc(words, company, (printed) => this.#answer(here, printed, company), { turn });
    });
    return ended.map((one, line) => this.#noted(machineOf(line), lines[line] ?? [], company, one, at));
  }

  #noted(machine: Machine, words: readonly string[], company: CompanyName, ended: Ended, at: number): Ended {
    const { exitCode, error, isKilled } = ended;
    const code = isKilled ? 'killed' : (error?.code ?? 'ok');
    this.refusals[code] = (this.refusals[code] ?? 0) + 1;
    const forget = /svc requests forget (?:--[^ ]+ )*-- ([A-Za-z0-9-]+)/.exec(error?.message ?? '')?.[1];
    if (forget !== undefined) this.advised.add(forget);
    const made = this.service.ledger
      .slice(at)
      .map((one) => `${one.reference}=${one.id.slice(-4)}:${one.status}`);
    const who = `m${String(this.machines.indexOf(machine))}${company}`;
    const line = words.map((word) => word.replace(machine.home, '~')).join(' ');
    this.say(`${who} $ ${line} -> ${String(exitCode)} ${code} ${made.join(' ')}`);
    if (exitCode === 1 && !isKilled && code !== 'contract_broken' && code !== 'feed_unreadable')
      throw new Error(`a defect: ${ended.stderr}\n${this.log.join('\n')}`);
    return ended;
  }

  async followPrinted(
    machine: Machine,
    line: string,
    intent: number,
    company: CompanyName = 'A',
  ): Promise<Ended> {
    const words = wordsOf(line);
    const known = this.intents.get(words.at(-1) ?? '');
    const json = words.includes('--json') || words.includes('--') ? [] : ['--json'];
    return this.type(machine, [...words, ...json], known ?? intent, company);
  }

  batch(
    machine: Machine,
    name: string,
    direction: Direction,
    rows: readonly Row[],
    intent = 1,
    words: readonly string[] = [],
    company: CompanyName = 'A',
  ): Promise<Ended> {
    if (!this.intents.has(name)) this.intents.set(name, intent);
    const line = this.batchLine(machine, name, direction, rows, words);
    return this.type(machine, line, this.intents.get(name) ?? intent, company);
  }

  batchLine(
    machine: Machine,
    name: string,
    direction: Direction,
    rows: readonly Row[],
    words: readonly string[] = [],
  ): string[] {
    const path = machine.write(`${name}.csv`, csvOf(direction, rows));
    const noun = direction === 'payin' ? 'payins' : 'payouts';
    return [noun, 'batch', path, '--batch', name, '--concurrency', '1', '--json', '--live', ...words];
  }

  #answer(machine: Machine, printed: string, company: CompanyName): string {
    const total = /Type the total in ([A-Z]{3}) to send it: $/.exec(printed);
    if (total !== null) {
      const lines = printed.split('\n');
      if (lines.some((line) => line.includes('First here')) && !this.#isFirst(machine, lines)) return 'no';
      const [currency = ''] = total.slice(1);
      const line = lines.findLast((one) => /^ *Total +[A-Z]{3} /.test(one) && one.includes(` ${currency} `));
      return /([0-9.]+) \(/.exec(line ?? '')?.[1] ?? '';
    }
    if (!printed.includes('If it was not paid, type yes: ') || !printed.includes('No evidence')) return 'yes';
    const reference = /After this, a retry pays: (.*), VES /.exec(printed)?.[1] ?? '';
    return this.#isUnpaid.get(`${company} ${reference}`) === true ? 'yes' : 'no';
  }

  readonly #isUnpaid = new Map<string, boolean>();

  ask(company: CompanyName, reference: string, key: string): boolean {
    const made = this.service.madeUnder(company, key);
    const isUnpaid = made === null || made.status === 'failed';
    this.#isUnpaid.set(`${company} ${reference}`, isUnpaid);
    return isUnpaid;
  }

  #isFirst(machine: Machine, lines: readonly string[]): boolean {
    if (!this.isCareful) return true;
    const reserved = lines.findLast((line) => /^ *Reserved +/.test(line));
    const [, all, here] = /VES ([0-9.]+) \(([0-9.]+) from this machine\)/.exec(reserved ?? '') ?? [];
    if (all !== undefined && here !== undefined && Number(all) !== Number(here)) return false;
    const isPayin = !lines.some((line) => /^ *Balance +/.test(line));
    return !isPayin || this.now - machine.bornAtMs >= WAIT_MS;
  }

  async mayPay(machine: Machine, direction: Direction, company: CompanyName): Promise<boolean> {
    if (!this.isCareful || !this.looks) return true;
    if (direction === 'payin' && this.now - machine.bornAtMs < WAIT_MS) return false;
    const pending = this.service.ledger.filter(
      (one) => one.status === 'pending' && one.direction === direction && one.company === company,
    );
    if (pending.length === 0) return true;
    const known = new Set([
      ...(await batchesOf(machine)).flatMap(({ rows }) => rows.map(({ operation }) => operation)),
      ...(await requestsOf(machine)).map(({ settled }) => settled?.operation ?? null),
    ]);
    return pending.every(({ id }) => known.has(id));
  }

  async check(): Promise<void> {
    for (const machine of this.machines) {
      for (const { batch, rows } of await batchesOf(machine)) {
        for (const row of rows) {
          if (row.state !== 'confirmed') continue;
          const operation = this.service.ledger.find(({ id }) => id === row.operation);
          const isOwn =
            operation?.status === 'confirmed' &&
            foldReference(operation.reference) === foldReference(row.reference) &&
            operation.intent === this.intents.get(batch.name);
          if (!isOwn) this.lies.push(`${batch.name} ${row.reference}`);
        }
      }
    }
  }

  end(): void {
    for (const machine of this.machines) machine.end();
  }
}

export function nameOf(direction: Direction, reference: string): string {
  return `${direction} ${foldReference(reference)}`;
}
