import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deriveKey } from '../../../../src/payments/known/key.js';
import { canonicalAddress } from '../../../../src/contract/access.js';
import { NAMESPACES } from '../../../../src/batches/approval/signature.js';
import { headerOf, NotAnswered, type Transport } from '../../../../src/runtime/transport.js';
import { csv, fileIn, person } from '../../../support/payroll.js';
import { approvalsPolicy, planBytes, treasury } from '../../../support/plans.js';
import { Seeded } from '../../../support/seeded.js';
import { ADDRESS, keyOf, shakySandbox, type ShakySandbox } from '../../../support/shaky-sandbox.js';
import type { People } from '../../../support/signers.js';
import { type Result, type World, world } from '../../../support/svc.js';
import { type Program, WHOLE } from '../program.js';
import { mayLeave, type Written, writtenIn } from './truth.js';
import { sealOf } from '../../../../src/storage/batches/seal.js';

const HOUR_MS = 3_600_000;
const ACTS = 14;
const MAKERS = ['maker', 'maker', 'maker', 'ana', 'bot', null] as const;
const APPROVERS = [
  'ana',
  'bob',
  'carla',
  'dora',
  'ana2',
  'maker',
  'maker2',
  'evil',
  'old',
  'shared',
] as const;
const HERE = canonicalAddress(ADDRESS);

export async function playApprovals(seed: number, people: People, program: Program = WHOLE) {
  const desk = await Desk.open(new Seeded(seed), people, program);
  try {
    await desk.work();
    return { faults: desk.faults, sent: desk.sent, log: desk.log };
  } finally {
    desk.close();
  }
}

const WAYS = [
  'whole',
  'whole',
  'whole',
  'unsigned',
  'short',
  'own',
  'twice',
  'stranger',
  'other bytes',
] as const;

class Desk {
  readonly faults: string[] = [];
  readonly log: string[] = [];
  sent = 0;
  readonly #written = new Map<string, Written>();
  readonly #left = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #keys: ReadonlyMap<string, string>;
  #batches = 0;
  #approvals = 2;
  #allow: 'cancel' | 'all' = 'all';
  #stopAfter: { left: number; readonly stop: AbortController } | null = null;

  private constructor(
    readonly random: Seeded,
    readonly people: People,
    readonly program: Program,
    readonly home: World,
    readonly shaky: ShakySandbox,
    readonly env: Readonly<Record<string, string>>,
  ) {
    const makers = [...MAKERS].filter((key) => key !== null);
    this.#keys = new Map(makers.map((key) => [people.fingerprint(key), key]));
    shaky.onPost = (request) => this.#judge(request);
  }

  static async open(random: Seeded, people: People, program: Program): Promise<Desk> {
    const home = world();
    const shaky = shakySandbox(home.clock);
    const env = { ...shaky.env, SVC_API_KEY: await keyOf(shaky, 'default', 'live') };
    return new Desk(random, people, program, home, shaky, env);
  }

  async work(): Promise<void> {
    await this.#make();
    if (this.random.chance(0.8)) this.log.push(`apply: ${await this.#apply()}`);
    for (let act = 0; act < ACTS; act += 1) await this.#act();
    const ledger = await this.shaky.ledger(this.env['SVC_API_KEY']);
    for (const [reference, count] of Object.entries(ledger))
      if (count > 1) this.faults.push(`${reference} was paid ${count} times`);
  }

  close(): void {
    this.shaky.sandbox.close();
    this.home.remove();
  }

  #judge({ url, body, headers }: Parameters<ShakySandbox['onPost']>[0]): void {
    if (!new URL(url).pathname.endsWith('/payouts')) return;
    const line = Buffer.from(body ?? []).toString('utf8');
    const key = headerOf({ headers: Object.entries(headers) }, 'idempotency-key') ?? '';
    const hasLeft = this.#left.has(key);
    this.sent += 1;
    if (!mayLeave(line, hasLeft, this.#written.values(), this.#now()))
      this.faults.push(`nobody approved ${line.slice(0, 60)} at act ${this.log.length}`);
    this.#left.add(key);
    if (this.#stopAfter !== null && (this.#stopAfter.left -= 1) === 0)
      this.#stopAfter.stop.abort(new Error('the machine goes down'));
  }

  #now() {
    return {
      ...{ nowMs: this.home.clock.now(), address: HERE, removed: this.#removed },
      ...{ approvals: this.#approvals, allow: this.#allow },
    };
  }

  get #path(): string {
    return join(this.home.home, 'june.plan');
  }

  #noted(): Written | null {
    const digest = hash('sha256', readFileSync(this.#path), 'hex');
    const known = this.#written.get(digest) ?? writtenIn(this.#path, this.#keys);
    if (known !== null) this.#written.set(digest, known);
    return known;
  }

  async #make(): Promise<void> {
    const { random, home } = this;
    const at = (hours: number): string => momentOf(home.clock.now() + hours * HOUR_MS);
    this.#batches += 1;
    const from = 10 * (random.chance(0.2) ? random.below(this.#batches) : this.#batches);
    const rows = [0, 1, 2].map((row) => person(from + row, { amount: `${10 + random.below(3)}.00` }));
    const maker = random.pick(MAKERS);
    const madeAt = random.chance(0.07) ? 2 : 0;
    const life = random.chance(0.07) ? 90 : random.pick([1, 24, 72, 72]);
    const facts = {
      ...{ made_at: at(madeAt), valid_until: at(madeAt + life) },
      maker: maker === null ? null : this.people.fingerprint(maker),
      batch: `june-${this.#batches}`,
      company: await this.#company(),
      address: random.chance(0.07) ? 'https://api.example.com' : HERE,
    };
    for (const name of readdirSync(home.home))
      if (name.startsWith('june.plan')) rmSync(join(home.home, name));
    writeFileSync(this.#path, planBytes(rows, facts));
    this.#noted();
    const way = random.pick(WAYS);
    if (maker !== null && way !== 'unsigned') this.#sign(maker, 'maker');
    const missing = way === 'whole' || way === 'unsigned' ? 0 : 1;
    const honest = ['bob', 'carla', 'dora', 'ana'].filter((key) => key !== maker);
    const needed = this.#approvals + (maker === null ? 1 : 0) - missing;
    for (const key of honest.slice(0, needed)) this.#sign(key, 'approver');
    if (way === 'own' && maker !== null)
      this.#sign(maker === 'maker' ? random.pick(['maker', 'maker2']) : 'ana2', 'approver');
    if (way === 'twice') for (const key of ['ana', 'ana2']) this.#sign(key, 'approver');
    if (way === 'stranger') this.#sign(random.pick(['evil', 'old', 'shared']), 'approver');
    if (way === 'other bytes') this.#swap();
  }

  async #company(): Promise<{ readonly letters: null; readonly operation: string } | null> {
    const headers = { authorization: `Bearer ${this.env['SVC_API_KEY'] ?? ''}` };
    const url = `${ADDRESS}/v2/events?limit=200`;
    const request = { method: 'GET', url, headers, body: null } as const;
    const { body } = await this.shaky.transport(request, { timeoutMs: 1000 });
    const { events } = JSON.parse(Buffer.from(body).toString('utf8')) as {
      events: { data: { id: string } }[];
    };
    const operation = events[0]?.data.id;
    return operation === undefined ? null : { letters: null, operation };
  }

  #sign(key: string, role: 'maker' | 'approver'): void {
    if (!existsSync(this.#path)) return;
    const signature = this.people.sign(readFileSync(this.#path), key, NAMESPACES[role]);
    writeFileSync(`${this.#path}.${role === 'maker' ? 'maker' : `${key}-approves`}.sig`, signature);
    this.#noted()?.signed[role].add(key);
  }

  #edit(from: RegExp, to: string): void {
    const text = readFileSync(this.#path, 'utf8').replace(from, to);
    writeFileSync(this.#path, text);
    this.#noted();
  }

  async #act(): Promise<void> {
    const { random, home } = this;
    const acts: readonly (readonly [number, string, () => unknown])[] = [
      [3, 'make', () => this.#make()],
      [4, 'approve', () => this.#sign(random.pick(APPROVERS), 'approver')],
      [1, 'sign as maker', () => this.#sign(random.pick(['maker', 'ana', 'bot']), 'maker')],
      [1, 'edit an amount', () => this.#raise()],
      [1, 'edit the end', () => this.#extend()],
      [1, 'edit the maker away', () => this.#edit(/"maker":"[^"]*"/, '"maker":null')],
      [7, 'apply', () => this.#apply()],
      [6, 'resume', () => this.#svc(`batches resume ${this.#aBatch()} --first-here --skip-paid --json`)],
      [1, 'retry', () => this.#svc(`batches retry ${this.#aBatch()} --failed --json`)],
      [1, 'drop', () => this.#svc(`batches drop ${this.#aBatch()} --json`)],
      [1, 'pay around it', () => this.#payAround()],
      [2, 'wait', () => home.clock.advance(random.pick([1, 12, 30, 80]) * HOUR_MS)],
      [1, 'change the list', () => this.#changeList()],
      [
        1,
        'change the policy',
        () => (
          (this.#approvals = random.pick([1, 2, 3])),
          (this.#allow = random.pick(['all', 'all', 'cancel']))
        ),
      ],
      [4, 'edit the store', () => this.#editStore()],
    ];
    let left = random.below(acts.reduce((sum, [weight]) => sum + weight, 0));
    const [, name, work] = acts.find(([weight]) => (left -= weight) < 0)!;
    const at = this.log.push(name) - 1;
    const result: unknown = await work();
    if (typeof result === 'string') this.log[at] = `${name}: ${result}`;
  }

  #aBatch(): string {
    const back = this.random.chance(0.7) ? 0 : this.random.below(this.#batches);
    return `june-${this.#batches - back}`;
  }

  #swap(): void {
    const bytes = readFileSync(this.#path);
    this.#sign('ana', 'approver');
    writeFileSync(this.#path, bytes);
    this.#raise();
  }

  #extend(): void {
    const [head = '', ...rest] = readFileSync(this.#path, 'utf8').split('\n');
    writeFileSync(this.#path, [extended(head), ...rest].join('\n'));
    this.#noted();
  }

  #raise(): void {
    const [first = '', ...rest] = readFileSync(this.#path, 'utf8').trimEnd().split('\n');
    const rows = rest.map((line, at) => {
      const body = JSON.parse(line) as { amount: string };
      return JSON.stringify(at === 0 ? { ...body, amount: '99.00' } : body);
    });
    const head = JSON.parse(first) as { totals: { total: string }[] };
    const total = rows.reduce(
      (sum, line) => sum + Number((JSON.parse(line) as { amount: string }).amount),
      0,
    );
    head.totals[0]!.total = total.toFixed(2);
    writeFileSync(this.#path, [JSON.stringify(head), ...rows, ''].join('\n'));
    this.#noted();
  }

  async #apply(): Promise<string> {
    const { random } = this;
    const stop = new AbortController();
    if (random.chance(0.6)) this.#stopAfter = { left: 1 + random.below(2), stop };
    const skips = random.chance(0.5) ? '--skip-paid' : '';
    const said = await this.#svc(
      `batches apply ${this.#path} --first-here --concurrency 1 --json ${skips}`,
      stop.signal,
    );
    this.#stopAfter = null;
    return said;
  }

  async #payAround(): Promise<string> {
    const file = fileIn(this.home.home, 'around.csv', csv([person(7, { amount: '77.00' })]));
    return this.#svc(`payouts batch ${file} --batch around --first-here --confirm-total VES:77.00 --json`);
  }

  #changeList(): void {
    const key = this.random.pick(['ana', 'bob', 'carla', 'dora', 'maker']);
    if (!this.#removed.delete(key)) this.#removed.add(key);
  }

  #editStore(): string {
    const { random } = this;
    const file = join(this.home.ports.paths.state, 'batches.db');
    if (!existsSync(file)) return 'none';
    const db = new DatabaseSync(file);
    try {
      const rows = db
        .prepare(
          'SELECT r.*, b.body FROM rows r JOIN bodies b USING (batch, number) WHERE r.batch IN (SELECT batch FROM batches WHERE plan_head IS NOT NULL)',
        )
        .all() as Record<string, never>[];
      if (rows.length === 0) return 'empty';
      const way = random.pick([
        'account',
        'account and digest',
        'end',
        'signatures',
        'since',
        'again',
      ] as const);
      if (way === 'signatures') db.exec('DELETE FROM approvals');
      else if (way === 'since')
        db.exec('UPDATE batches SET since = 1700000000000 WHERE plan_head IS NOT NULL');
      else if (way === 'again') db.exec("UPDATE rows SET state = 'planned', sent_at = NULL WHERE number = 0");
      else if (way === 'end') {
        for (const { batch, plan_head: head } of headsIn(db))
          db.prepare('UPDATE batches SET plan_head = ? WHERE batch = ?').run(extended(head), batch);
        redigest(db);
      } else {
        forge(db, random.pick(rows) as unknown as ForgedRow);
        if (way === 'account and digest') redigest(db);
      }
      return way;
    } finally {
      db.close();
    }
  }

  async #svc(line: string, signal?: AbortSignal): Promise<string> {
    const { home, env, program } = this;
    const lines = this.people.list.toString().split('\n');
    const list = lines.filter(
      (one) => ![...this.#removed].some((key) => one.endsWith(this.people.publicKey(key))),
    );
    const machine = treasury(
      () => approvalsPolicy(this.#approvals, { allow: this.#allow }),
      () => Buffer.from(list.join('\n')),
    );
    const result: Result = await home.svc(`${line} --live --insecure-loopback`, {
      ...{ env, machine, transport: this.#line, run: program.run },
      ...(signal === undefined ? {} : { signal }),
    });
    const { code } = result.exitCode === 0 ? { code: 'ok' } : codeOf(result);
    return `${result.exitCode} ${String(code)}`;
  }

  readonly #line: Transport = async (request, options) => {
    try {
      return await this.shaky.transport(request, options);
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error;
      throw new this.program.NotAnswered(error.reason, error.wasSent, error.message);
    }
  };
}

function codeOf(result: Result): { readonly code: unknown } {
  try {
    return { code: result.error()['code'] };
  } catch {
    return { code: 'stopped' };
  }
}

type ForgedRow = Parameters<typeof sealOf>[0] & { readonly batch: number };

function forge(db: DatabaseSync, row: ForgedRow): void {
  const body = JSON.parse(row.body) as { beneficiary: object };
  const forged = JSON.stringify({
    ...body,
    beneficiary: { ...body.beneficiary, account_number: '04129999999' },
  });
  const key = deriveKey({ ...row, environment: 'live', direction: 'payout' });
  db.prepare('UPDATE bodies SET body = ? WHERE batch = ? AND number = ?').run(forged, row.batch, row.number);
  const seal = sealOf({ ...row, key, body: forged });
  db.prepare('UPDATE rows SET key = ?, seal = ? WHERE batch = ? AND number = ?').run(
    key,
    seal,
    row.batch,
    row.number,
  );
}

function headsIn(db: DatabaseSync): { batch: number; plan_head: string }[] {
  const sql = 'SELECT batch, plan_head FROM batches WHERE plan_head IS NOT NULL';
  return db.prepare(sql).all() as { batch: number; plan_head: string }[];
}

function extended(head: string): string {
  const [, madeAt = ''] = /"made_at":"([^"]*)"/.exec(head) ?? [];
  const until = momentOf(Date.parse(madeAt) + 72 * HOUR_MS);
  return head.replace(/"valid_until":"[^"]*"/, `"valid_until":"${until}"`);
}

function momentOf(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

function redigest(db: DatabaseSync): void {
  for (const { batch, plan_head: head } of headsIn(db)) {
    const bodies = db.prepare('SELECT body FROM bodies WHERE batch = ? ORDER BY number').all(batch) as {
      body: string;
    }[];
    const text = [head, ...bodies.map(({ body }) => body), ''].join('\n');
    db.prepare('UPDATE batches SET plan_digest = ? WHERE batch = ?').run(hash('sha256', text, 'hex'), batch);
  }
}
