import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../../support/postgres.js';
import { Seeded } from '../../support/seeded.js';
import { wordsInShell } from '../../support/shell.js';
import { csvOf, type Row } from '../../batches/simulation/catalog.js';
import { openLedger, SPOILT, type LedgerService, type PostFate } from '../state/ledger.js';
import { LEASE_MS, machineProgram, type Broken } from '../state/program.js';
import { Site, type Member, type Run } from '../state/site.js';
import { lineTo, type Line } from '../../support/line.js';
import { carryThrough, printed, type Operator } from '../stores/operator.js';
import { SHARED, type Asked } from './judge.js';
import { Recorder, type ShownRow } from './recorder.js';

export interface WorldPlan {
  readonly seed: number;
  readonly rows: number;
  readonly machines: number;
  readonly concurrency: number;
  readonly broken: Broken | null;
}

export interface PayrollOf {
  readonly name: string;
  readonly file: string;
  readonly rows: readonly Row[];
}

/** If a request is held longer, the client gives up. */
const HELD_MS = 800;
const TICK_MS = 20;
const OPERATOR_RUNS = 12;
const SETTLED = "('confirmed', 'earlier')";

export class World extends Site {
  readonly recorder = new Recorder();
  readonly asked: Asked[] = [];
  readonly ended = new Set<string>();
  readonly forgotten = new Set<string>();
  readonly alive = new Set<Member>();
  readonly aheadsMs: number[] = [];
  spoiltIn = 0;
  trap: { readonly fate: PostFate; readonly reached: () => void } | null = null;
  kills = 0;
  isBesideBusy = false;
  #payroll: PayrollOf | null = null;
  #allowed = Infinity;
  readonly #lines: (readonly string[])[] = [];
  readonly #later = new Set<{ readonly done: Promise<void>; readonly hurry: () => void }>();

  private constructor(
    server: PostgresServer,
    ledger: LedgerService,
    schema: string,
    readonly wire: Line,
    readonly plan: WorldPlan,
    readonly random: Seeded,
  ) {
    super(server, ledger, schema);
    ledger.watch = this.recorder;
    ledger.onPost = ({ reference }) => this.#fateOf(reference);
  }

  static async of(server: PostgresServer, plan: WorldPlan): Promise<World> {
    const { schema } = await server.place();
    const wire = await lineTo(server.address.port);
    return new World(server, await openLedger(), schema, wire, plan, new Seeded(plan.seed));
  }

  payrollOf(number: number): PayrollOf {
    const name = `pay-${String(number)}`;
    const rows = Array.from({ length: this.plan.rows }, (_, person): Row => ({
      ...{ reference: `${name}-${String(person)}`, amount: 100 + ((person + number) % 900), person },
      account: 'good',
    }));
    const requestedFacts = ({ reference, amount }: Row) => ({
      reference,
      amount: amount.toFixed(2),
      book: name,
    });
    this.asked.push(...rows.map(requestedFacts));
    return { name, file: this.file(`${name}.csv`, csvOf('payout', rows)), rows };
  }

  set payroll(payroll: PayrollOf) {
    this.#payroll = payroll;
    this.#lines.length = 0;
  }

  get payroll(): PayrollOf {
    if (this.#payroll === null) throw new Error('no payroll has begun');
    return this.#payroll;
  }

  allow(share: number): void {
    this.#allowed = share >= 1 ? Infinity : Math.ceil(share * this.plan.rows);
  }

  async #fateOf(reference: string): Promise<PostFate> {
    const isNew = !this.recorder.isPaid(reference);
    const before = this.ended.size * this.plan.rows;
    const isEarly = () => isNew && this.recorder.paidReferences - before > this.#allowed;
    for (let ms = 0; ms < HELD_MS && isEarly(); ms += TICK_MS) await setTimeout(TICK_MS);
    const { trap } = this;
    if (trap !== null) {
      this.trap = null;
      setImmediate(trap.reached);
      return trap.fate;
    }
    return this.spoiltIn > 0 && this.random.below(this.spoiltIn) === 0 ? this.random.pick(SPOILT) : 'paid';
  }

  enter(words: readonly string[]): Member {
    const began = this.recorder.length;
    const aheadMs = this.aheadsMs.shift() ?? 0;
    const env = { SOAK_AHEAD_MS: String(aheadMs), SOAK_MACHINE: `-${String(began)}` };
    const program = machineProgram(this.plan.broken);
    const member = this.start(words, { program, port: this.wire.port, env });
    this.alive.add(member);
    void member.ended.then((run) => {
      this.alive.delete(member);
      this.#hear(run, began);
    });
    return member;
  }

  #hear(run: Run, began: number): void {
    if (run.code === null) return;
    this.recorder.summary(SHARED, run.stdout, began);
    const error = printed(run);
    const next = error?.next_command ?? null;
    if (run.code === 12 || next === null) return;
    const [noun, verb, ...words] = wordsInShell(next);
    if (noun !== undefined && verb !== undefined) this.#lines.push([noun, verb, ...words]);
  }

  async fill(): Promise<void> {
    const standing = await this.standing(this.payroll.name).catch(() => 'open' as const);
    if (standing === 'settled') return;
    while (this.alive.size < this.plan.machines) {
      const line = standing === 'open' ? this.#lines.shift() : undefined;
      this.enter(line ?? this.#words(standing));
    }
  }

  #words(standing: 'missing' | 'open'): string[] {
    const { name, file } = this.payroll;
    const flags = ['--json', '--concurrency', String(this.plan.concurrency)];
    if (standing === 'missing') return ['payouts', 'batch', file, '--batch', name, ...flags];
    return ['batches', 'resume', name, ...flags];
  }

  async standing(name: string): Promise<'missing' | 'open' | 'settled'> {
    const [batch] = await this.sql(
      `SELECT count(r.number) FILTER (WHERE r.state NOT IN ${SETTLED})::int AS open FROM svc.batches b
       LEFT JOIN svc.rows r USING (batch) WHERE b.name = '${name}' AND b.ready GROUP BY b.batch`,
    );
    if (batch === undefined) return 'missing';
    return batch['open'] === 0 ? 'settled' : 'open';
  }

  async look({ name }: Pick<PayrollOf, 'name'>): Promise<void> {
    const rows = await this.sql(
      `SELECT reference, state, operation FROM svc.rows JOIN svc.batches USING (batch) WHERE name = '${name}' ORDER BY number`,
    ).catch(() => []);
    this.recorder.rows(SHARED, name, rows as unknown as ShownRow[]);
  }

  async ask({ name }: Pick<PayrollOf, 'name'>): Promise<void> {
    const began = this.recorder.length;
    const { stdout } = await this.start(['batches', 'status', name, '--json']).ended;
    this.recorder.summary(SHARED, stdout, began);
  }

  async kill(member: Member): Promise<void> {
    member.signal('SIGKILL');
    if ((await member.ended).code === null) this.kills += 1;
  }

  later(ms: number, undo: () => void | Promise<void>): void {
    const hurry = new AbortController();
    const done = setTimeout(ms, null, { signal: hurry.signal })
      .catch(() => null)
      .then(undo)
      .finally(() => this.#later.delete(entry));
    const entry = { done, hurry: () => hurry.abort() };
    this.#later.add(entry);
  }

  async calm(): Promise<void> {
    this.allow(1);
    await this.#undoAll();
    while (this.alive.size > 0) await Promise.all([...this.alive].map(({ ended }) => ended));
  }

  async operator(store: string): Promise<readonly [Operator, { home: string; backup: string }]> {
    const home = join(this.home, `operator-${store.replaceAll(' ', '-')}`);
    mkdirSync(home, { recursive: true });
    const own = { SOAK_MACHINE: `-${store.replaceAll(' ', '-')}` };
    const operator: Operator = {
      program: await machineProgram(this.plan.broken),
      env: { ...(store === SHARED ? this.env() : this.serviceEnv()), ...own },
      look: () => Promise.resolve(this.ledger.paid),
    };
    return [operator, { home, backup: '' }];
  }

  async finish(payroll: PayrollOf): Promise<void> {
    let said: string | null = null;
    for (let run = 0; run < OPERATOR_RUNS; run += 1) {
      const standing = await this.standing(payroll.name);
      if (standing === 'settled') break;
      if (run > 0) await setTimeout(LEASE_MS / 4);
      const [operator, machine] = await this.operator(SHARED);
      const [begin, resume] = [`payouts batch --batch ${payroll.name}`, 'batches resume'];
      const [words, of] = standing === 'missing' ? [begin, payroll.file] : [resume, payroll.name];
      const line = `svc ${words} --json -- ${of}`;
      said = (await carryThrough(operator, machine, line)) ?? 'rows are open, and nothing is said of them';
    }
    const isSettled = (await this.standing(payroll.name)) === 'settled';
    await this.look(payroll);
    this.recorder.ended(payroll.name, isSettled ? null : said);
    this.ended.add(payroll.name);
  }

  async #undoAll(): Promise<void> {
    for (const { hurry } of this.#later) hurry();
    await Promise.all([...this.#later].map(({ done }) => done));
  }

  override async close(): Promise<void> {
    await this.#undoAll();
    await super.close();
    await this.wire.stop();
  }
}
