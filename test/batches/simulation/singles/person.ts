import type { ShownRow } from '../../../../src/storage/batches/row.js';
import type { Direction } from '../../../../src/contract/operation.js';
import type { Seeded } from '../../../support/seeded.js';
import { batchesOf, requestsOf } from '../books.js';
import { createWords, type Row } from '../catalog.js';
import { type Ended, type Machine, wordsOf } from '../machine.js';
import { resolveAll } from '../resolving.js';
import type { CompanyName, Operation } from '../service.js';
import type { Turns } from '../turns.js';
import type { SimulatedWorld } from '../world.js';
import { groupOf, groupOfOperation, type Intent } from './intent.js';

export interface Habits {
  readonly failRate: number;
  readonly labelRate: number;
  readonly killRate: number;
  readonly trustRate: number;
}

const INVISIBLE = '\u200b';
const TRIES_MAX = 3;

export class Person {
  readonly intents: Intent[] = [];
  readonly tally = new Map<string, number>();
  readonly #world: SimulatedWorld;
  readonly #habits: Habits;
  #random: Seeded;
  #ownKeys = 0;
  #batches = 0;
  readonly #typed = new Map<Intent, { machine: Machine; words: readonly string[]; company: CompanyName }>();
  readonly #rowsOf = new Map<string, readonly Intent[]>();

  constructor(world: SimulatedWorld, habits: Habits, random: Seeded) {
    this.#world = world;
    this.#habits = habits;
    this.#random = random;
  }

  calm(random: Seeded): void {
    this.#random = random;
  }

  count(name: string): void {
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  mean(): Intent {
    const random = this.#random;
    const number = this.intents.length;
    const paid = this.intents.filter(
      ({ reference, belief }) => reference !== null && (belief === 'paid' || belief === 'pending'),
    );
    const base =
      paid.length > 0 && random.chance(this.#habits.labelRate)
        ? { ...random.pick(paid), isLabel: true }
        : this.intents.length > 0 && random.chance(0.15)
          ? elsewhere(random.pick(this.intents), random)
          : null;
    const company = base?.company ?? (random.chance(0.85) ? 'A' : 'B');
    const direction = base?.direction ?? random.pick(['payout', 'payout', 'payin'] as const);
    const reference = base === null ? (random.chance(0.85) ? `R${String(number)}` : null) : base.reference;
    const isKnown = this.intents.some(
      (one) => one.reference === reference && one.company === company && one.direction === direction,
    );
    const intent: Intent = {
      ...{ number, company, direction, reference },
      amount: random.pick([10, 10, 20]),
      person: base?.isLabel === true && random.chance(0.5) ? base.person : number,
      isLabel: reference !== null && isKnown,
      waits: random.chance(0.4),
      machine: 0,
      bornAtMs: this.#world.now,
      account: random.chance(this.#habits.failRate)
        ? 'failing'
        : random.pick(['good', 'good', 'good', 'refused'] as const),
      ownKey: random.chance(0.6) ? random.pick([null, null, null, 'same', 'fresh'] as const) : null,
      ...{
        belief: null,
        operation: null,
        next: null,
        code: null,
        resolves: null,
        named: null,
        insistsOver: null,
      },
      ...{ isAsked: false, wasSent: false, isInBatch: false, isUnderWay: false, nextDiffers: false },
    };
    this.intents.push(intent);
    return intent;
  }

  meantIn(intent: Intent): number {
    return this.intents.filter((one) => groupOf(one) === groupOf(intent)).length;
  }

  liveOf(intent: Intent): Operation[] {
    return this.#world.service.ledger.filter(
      (one) => one.status !== 'failed' && groupOfOperation(one) === groupOf(intent),
    );
  }

  #machineOf({ machine }: Intent): Machine {
    return this.#world.machines[machine];
  }

  async type(
    intent: Intent,
    { isMistake = false, spelled = intent.reference, amount = intent.amount.toFixed(2) } = {},
  ): Promise<void> {
    const machine = this.#machineOf(intent);
    const isRight = !isMistake && (await this.#isRight(intent));
    const count = this.#world.service.ledger.length;
    const words = this.wordsOf(intent, spelled, amount);
    this.#typed.set(intent, { machine, words, company: intent.company });
    intent.isAsked = false;
    const ended = await this.#world.type(machine, words, intent.number, intent.company);
    if (ended.isKilled || [0, 8, 9, 12].includes(ended.exitCode)) intent.wasSent = true;
    if (isRight && ended.exitCode === 13 && this.#world.service.ledger.length === count)
      this.count(`refused though right${intent.isLabel ? ' (label)' : ''}: ${ended.error?.code ?? ''}`);
    this.learn(intent, ended, isMistake);
  }

  wordsOf(intent: Intent, spelled: string | null, amount: string): string[] {
    const { direction, person, account, ownKey, insistsOver, waits, number } = intent;
    const row: Row = { reference: spelled ?? '', amount: Number(amount), person, account };
    const words = createWords(direction, row).map((word) =>
      word === Number(amount).toFixed(2) ? amount : word,
    );
    if (ownKey === 'fresh') this.#ownKeys += 1;
    const key =
      ownKey === null
        ? null
        : ownKey === 'same'
          ? `own-key-${String(number)}`
          : `fresh-key-${String(this.#ownKeys)}`;
    return [
      ...words,
      ...(key === null ? [] : ['--idempotency-key', key]),
      ...(insistsOver === null ? [] : ['--new-payment', insistsOver]),
      ...(waits ? ['--wait-timeout', '1h'] : []),
      ...['--live', '--json'],
    ];
  }

  async #isRight(intent: Intent): Promise<boolean> {
    if (![null, 'not sent', 'failed'].includes(intent.belief)) return false;
    if (this.liveOf(intent).length >= this.meantIn(intent)) return false;
    return !(await this.#isOpen(intent));
  }

  async #isOpen({ number, person }: Intent): Promise<boolean> {
    for (const machine of this.#world.machines)
      for (const { state, body } of await requestsOf(machine))
        if (state !== 'settled' && body !== null && bodyIsOf(body, person)) return true;
    return this.#openRows.has(number);
  }

  readonly #openRows = new Set<number>();

  learn(intent: Intent, ended: Ended, isMistake = false): void {
    const { exitCode, error, isKilled, stdout } = ended;
    const code = isKilled ? 'killed' : (error?.code ?? null);
    const answer = operationIn(stdout);
    const known = answer === null ? null : this.#shown(intent, answer, exitCode);
    const isKnown = intent.belief === 'paid' || intent.belief === 'pending';
    if (isMistake && isKnown) return;
    intent.next = isKilled ? null : (error?.next_command ?? null);
    intent.code = code;
    intent.resolves =
      /svc requests resolve --operation ID .*? -- [\w-]+/.exec(error?.message ?? '')?.[0] ?? null;
    if (code === 'new_payment_unknown') intent.insistsOver = null;
    const { operation_id: operation, idempotency_key: key, status, agrees } = detailsOf(error);
    intent.named = operation ?? key ?? error?.idempotency_key ?? intent.named;
    intent.isUnderWay = status === 'recorded';
    intent.nextDiffers = agrees === false;
    if (isKilled) {
      intent.belief = 'unknown';
      return;
    }
    if (code === 'reference_paid' || code === 'reference_pending' || code === 'key_used') {
      this.#refused(intent, ended);
      return;
    }
    switch (exitCode) {
      case 0:
      case 8:
      case 9:
        if (known !== null) Object.assign(intent, known);
        return;
      case 12:
        intent.belief = 'unknown';
        return;
      case 13:
        if (code === 'reference_open' || OLD.includes(code ?? '')) intent.belief = 'unknown';
        else if (!isKnown && intent.belief !== 'unknown') intent.belief = intent.belief ?? 'not sent';
        return;
      case 7:
        if (intent.ownKey === 'same') intent.ownKey = 'fresh';
    }
    if (intent.belief !== 'failed' && intent.belief !== 'unknown' && !isKnown) intent.belief = 'not sent';
  }

  #shown(
    { person, number }: Intent,
    { id, status }: { id: string; status: string },
    exitCode: number,
  ): Pick<Intent, 'belief' | 'operation'> | null {
    const one = this.#world.service.ledger.find((operation) => operation.id === id);
    if (exitCode === 0 && status === 'confirmed' && one?.status !== 'confirmed') this.count('lied');
    if (
      exitCode <= 9 &&
      one !== undefined &&
      one.intent >= 0 &&
      one.intent !== number &&
      !one.account.includes(`0412${String(person)}0`)
    )
      this.count('shown another operation');
    if (status === 'failed') return { belief: 'failed', operation: null };
    return { belief: status === 'confirmed' ? 'paid' : 'pending', operation: id };
  }

  #refused(intent: Intent, { error }: Ended): void {
    const details = detailsOf(error);
    const id = details.operation_id ?? null;
    const one = this.#world.service.ledger.find((operation) => operation.id === id);
    if (error?.code === 'key_used' && details.status === 'failed') {
      intent.belief = 'failed';
      intent.ownKey = intent.ownKey === null ? null : 'fresh';
      return;
    }
    const isStranger = details.company === 'unknown' && one?.company !== intent.company;
    const isOwn =
      one !== undefined &&
      !isStranger &&
      intent.wasSent &&
      one.createdAtMs >= intent.bornAtMs - 20_000 &&
      Number(one.amount) === intent.amount;
    if ((intent.isLabel || isStranger) && one !== undefined && !isOwn) {
      intent.belief = 'not sent';
      intent.isAsked = true;
      return;
    }
    if (one === undefined) {
      intent.belief = 'later';
      return;
    }
    intent.operation = one.id;
    intent.belief = details.status === 'pending' ? 'pending' : 'paid';
  }

  async pursue(intent: Intent, obeys = 0.85): Promise<void> {
    const random = this.#random;
    this.#hear(intent);
    if (intent.belief === 'paid' || intent.belief === 'pending') return;
    if (intent.code === 'reference_contradicted' && intent.next !== null) {
      await this.#world.type(this.#machineOf(intent), wordsOf(intent.next), intent.number, intent.company);
      return this.type(intent);
    }
    if (intent.belief === 'failed' && intent.account === 'failing' && random.chance(0.6))
      intent.account = 'good';
    if (intent.code === 'field_invalid' && intent.account === 'refused') intent.account = 'good';
    if (intent.belief !== 'unknown') {
      if (intent.isAsked && intent.named !== null) return this.insist(intent);
      return this.type(intent);
    }
    if (intent.next !== null && / (repeat|resume) /.test(intent.next) && random.chance(obeys))
      return this.follow(intent, intent.next);
    const isLeft =
      OLD.includes(intent.code ?? '') ||
      intent.resolves !== null ||
      (intent.code === 'reference_open' && intent.next === null);
    if (!isLeft || intent.isUnderWay) return this.type(intent);
    const { trustRate } = this.#habits;
    if (intent.named !== null && trustRate > 0 && random.chance(trustRate)) return this.insist(intent);
    return this.lookUp(intent);
  }

  #hear(intent: Intent): void {
    const one = this.#world.service.ledger.find(({ id }) => id === intent.operation);
    if (intent.belief === 'pending' && one?.status === 'failed') intent.belief = 'failed';
  }

  async follow(intent: Intent, line: string): Promise<void> {
    const machine = this.#machineOf(intent);
    const words = wordsOf(line);
    if (words.includes('batches')) {
      const name = words.at(-1) ?? '';
      await this.resume(machine, name);
      if (this.#rowsOf.get(name)?.includes(intent) !== true) intent.belief = 'not sent';
      return;
    }
    const typed = words.includes('--json') || words.includes('--') ? words : [...words, '--json'];
    this.#typed.set(intent, { machine, words: typed, company: intent.company });
    const { nextDiffers } = intent;
    const ended = await this.#world.type(machine, typed, intent.number, intent.company);
    if (this.#isOfAnother(intent, ended)) intent.belief = 'not sent';
    else if ((nextDiffers && OLD.includes(ended.error?.code ?? '')) || ended.error?.code === 'not_found')
      await this.lookUp(intent);
    else this.learn(intent, ended);
  }

  #isOfAnother({ person }: Intent, { stdout }: Ended): boolean {
    const id = operationIn(stdout)?.id;
    const one = this.#world.service.ledger.find((operation) => operation.id === id);
    return one !== undefined && !one.account.includes(`0412${String(person)}0`);
  }

  async insist(intent: Intent): Promise<void> {
    intent.insistsOver = intent.named;
    if (intent.ownKey === 'same') intent.ownKey = null;
    await this.type(intent);
    if (intent.code === 'usage') intent.insistsOver = null;
  }

  async again(intent: Intent): Promise<void> {
    const typed = this.#typed.get(intent);
    if (typed === undefined) return;
    const { machine, words, company } = typed;
    this.learn(intent, await this.#world.type(machine, words, intent.number, company), true);
  }

  async mistype(intent: Intent): Promise<void> {
    const random = this.#random;
    const spelled =
      intent.reference !== null && random.chance(0.4)
        ? random.pick([intent.reference + INVISIBLE, intent.reference.toLowerCase()])
        : intent.reference;
    const amount = random.chance(0.5) ? intent.amount.toFixed(2) : String(intent.amount);
    await this.type(intent, { isMistake: true, spelled, amount });
  }

  async twice(intent: Intent, turns: Turns): Promise<void> {
    const machine = this.#machineOf(intent);
    const isNamed = intent.reference !== null && this.#random.chance(0.5);
    const second: Intent = isNamed ? { ...intent, ownKey: 'fresh' } : intent;
    const lines = [intent, second].map((one) => this.wordsOf(one, one.reference, one.amount.toFixed(2)));
    this.#typed.set(intent, { machine, words: lines[1] ?? [], company: intent.company });
    intent.wasSent = true;
    for (const ended of await this.#world.together(machine, lines, intent.number, intent.company, turns))
      this.learn(intent, ended, true);
  }

  async lookUp(intent: Intent): Promise<void> {
    const mine = this.#world.service.ledger.filter(
      (one) => one.intent === intent.number || (one.intent < 0 && groupOfOperation(one) === groupOf(intent)),
    );
    const live = mine.filter(({ status }) => status !== 'failed').at(-1);
    this.#world.say(`# looks up ${String(intent.number)}: ${live?.status ?? 'nothing'}`);
    if (live !== undefined) {
      intent.belief = live.status === 'confirmed' ? 'paid' : 'pending';
      intent.operation = live.id;
      return;
    }
    intent.belief = 'not sent';
    if (intent.resolves !== null) {
      const line = intent.resolves.replace('--operation ID', '--not-paid --json');
      const type = (more: string): Promise<Ended> =>
        this.#world.type(
          this.#machineOf(intent),
          wordsOf(line.replace(' -- ', `${more} -- `)),
          intent.number,
          intent.company,
        );
      const { error } = await type('');
      if (error?.code === 'company_unknown') await type(' --same-company --yes');
    } else if (intent.named !== null) return this.insist(intent);
    await this.type(intent);
  }

  async repeatAll(machine: Machine): Promise<void> {
    for (const request of await requestsOf(machine)) {
      if (request.state !== 'open') continue;
      const intent = this.intents.find(
        ({ person, direction }) =>
          direction === request.direction && request.body !== null && bodyIsOf(request.body, person),
      );
      if (intent === undefined) continue;
      const words = ['requests', 'repeat', '--live', '--json', '--', request.idempotencyKey];
      this.learn(intent, await this.#world.type(machine, words, intent.number, intent.company), true);
    }
  }

  async forgetOne(machine: Machine): Promise<void> {
    const open = (await requestsOf(machine)).filter(({ state }) => state === 'open');
    if (open.length === 0) return;
    const { idempotencyKey } = this.#random.pick(open);
    await this.#world.type(machine, ['requests', 'forget', '--json', '--yes', '--', idempotencyKey], 0);
  }

  async payBatch(machine: Machine, turns: Turns): Promise<void> {
    const random = this.#random;
    const company = random.pick(['A', 'A', 'A', 'B'] as const);
    const direction: Direction = random.pick(['payout', 'payin']);
    const isFit = (one: Intent): boolean =>
      one.company === company &&
      one.direction === direction &&
      one.reference !== null &&
      !one.isLabel &&
      !one.isInBatch &&
      this.meantIn(one) === 1;
    const rows = this.intents.filter(
      (one) => isFit(one) && ([null, 'not sent', 'failed'].includes(one.belief) || random.chance(0.4)),
    );
    if (rows.length === 0 || random.chance(0.6)) {
      const one = this.mean();
      if (isFit(one)) rows.push(one);
    }
    if (rows.length === 0) return;
    this.#batches += 1;
    const name = `n${String(this.#batches)}`;
    for (const one of rows) one.isInBatch = true;
    this.#rowsOf.set(name, rows);
    if (random.chance(0.2)) await this.#runBeside(machine, name, rows, turns);
    await this.#runBatch(machine, name, direction, company, rows);
    for (const one of rows) one.belief ??= 'not sent';
  }

  async #runBeside(machine: Machine, name: string, rows: readonly Intent[], turns: Turns): Promise<void> {
    const one = this.#random.pick(rows);
    const named: Intent = this.#random.chance(0.5) ? { ...one, ownKey: 'fresh' } : one;
    const create = this.wordsOf(named, one.reference, one.amount.toFixed(2));
    const line = this.#world.batchLine(machine, name, one.direction, rows.map(rowOf));
    this.#typed.set(one, { machine, words: create, company: one.company });
    one.wasSent = true;
    const [batch, single] = await this.#world.together(machine, [line, create], -1, one.company, turns);
    if (single !== undefined) this.learn(one, single, true);
    await this.#afterBatch(machine, name, batch?.isKilled === true);
  }

  async #runBatch(
    machine: Machine,
    name: string,
    direction: Direction,
    company: CompanyName,
    rows: readonly Intent[],
  ): Promise<void> {
    const file = rows.map(rowOf);
    let words: string[] = this.#random.chance(0.5) ? ['--wait-timeout', '1h'] : [];
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const ended = await this.#world.batch(machine, name, direction, file, -1, words, company);
      await this.#afterBatch(machine, name, ended.isKilled);
      const printed = ended.error?.next_command ?? null;
      if (ended.exitCode !== 13 || printed === null) break;
      if (printed.includes('--skip-paid')) words = ['--skip-paid', ...words];
      else await this.#followFor(machine, printed, company);
    }
    if ((await this.#rows(machine, name)) === null) for (const one of rows) one.isInBatch = false;
  }

  async #followFor(machine: Machine, line: string, company: CompanyName): Promise<void> {
    const words = wordsOf(line);
    if (words.includes('batches')) return this.resume(machine, words.at(-1) ?? '');
    await this.#world.type(machine, words.includes('--') ? words : [...words, '--json'], -1, company);
  }

  async resume(machine: Machine, name: string, words: readonly string[] = []): Promise<void> {
    const rows = this.#rowsOf.get(name);
    if (rows === undefined || (await this.#rows(machine, name)) === null) return;
    const company = rows[0]?.company ?? 'A';
    const line = ['batches', 'resume', '--live', '--json', '--concurrency', '1', ...words, name];
    const ended = await this.#world.type(machine, line, -1, company);
    await this.#afterBatch(machine, name, ended.isKilled);
    const printed = ended.error?.next_command ?? null;
    if (ended.exitCode !== 13 || printed === null) return;
    if (printed.includes('--skip-paid') && !words.includes('--skip-paid'))
      return this.resume(machine, name, ['--skip-paid']);
    if (printed.includes(' requests repeat ')) await this.#followFor(machine, printed, company);
  }

  async resumeAny(machine: Machine): Promise<void> {
    if (this.#rowsOf.size > 0) await this.resume(machine, this.#random.pick([...this.#rowsOf.keys()]));
  }

  async resumeAll(machine: Machine): Promise<void> {
    for (const name of this.#rowsOf.keys()) {
      await this.resume(machine, name);
      await this.resume(machine, name);
      await this.#review(machine, name);
    }
  }

  async #review(machine: Machine, name: string): Promise<void> {
    const company = this.#rowsOf.get(name)?.[0]?.company ?? 'A';
    await resolveAll(this.#world, machine, name, company);
    await this.#afterBatch(machine, name, false);
  }

  get hasBatches(): boolean {
    return this.#rowsOf.size > 0;
  }

  async confirmedRows(): Promise<readonly ShownRow[]> {
    const [machine] = this.#world.machines;
    return (await batchesOf(machine)).flatMap(({ rows }) =>
      rows.filter(({ state }) => state === 'confirmed'),
    );
  }

  async #rows(machine: Machine, name: string): Promise<readonly ShownRow[] | null> {
    return (await batchesOf(machine)).find(({ batch }) => batch.name === name)?.rows ?? null;
  }

  async #afterBatch(machine: Machine, name: string, isKilled: boolean): Promise<void> {
    const rows = this.#rowsOf.get(name) ?? [];
    for (const { reference, state, operation, status } of (await this.#rows(machine, name)) ?? []) {
      const intent = rows.find((one) => one.reference === reference);
      if (intent === undefined) continue;
      const isKnown = intent.belief === 'paid' || intent.belief === 'pending';
      this.#openRows.delete(intent.number);
      if (state === 'confirmed' || (state === 'earlier' && status !== 'pending')) {
        Object.assign(intent, { belief: 'paid', operation });
      } else if (state === 'accepted' || state === 'earlier') {
        Object.assign(intent, { belief: 'pending', operation });
      } else if (state === 'failed') intent.belief = 'failed';
      else if (state === 'rejected' || (state === 'planned' && !isKilled)) {
        if (!isKnown) intent.belief = 'not sent';
      } else {
        this.#openRows.add(intent.number);
        if (!isKnown) {
          intent.belief = 'unknown';
          intent.next = `svc batches resume --live ${name}`;
        }
      }
    }
  }
}

const OLD: readonly string[] = ['too_old', 'time_unknown', 'clocks_disagree', 'company_unknown'];

function rowOf(one: Intent): Row {
  return { ...one, reference: one.reference ?? '' };
}

function elsewhere(one: Intent, random: Seeded): Intent {
  if (random.chance(0.5)) return { ...one, company: one.company === 'A' ? 'B' : 'A', isLabel: false };
  return { ...one, direction: one.direction === 'payin' ? 'payout' : 'payin', isLabel: false };
}

function bodyIsOf(body: Uint8Array, person: number): boolean {
  return Buffer.from(body)
    .toString('utf8')
    .includes(`"0412${String(person)}00000`);
}

function operationIn(stdout: string): { id: string; status: string } | null {
  try {
    const value = JSON.parse(stdout) as { id?: unknown; status?: unknown };
    return typeof value.id === 'string' && typeof value.status === 'string'
      ? { id: value.id, status: value.status }
      : null;
  } catch {
    return null;
  }
}

interface Named {
  readonly operation_id?: string | null;
  readonly idempotency_key?: string | null;
  readonly status?: string | null;
  readonly agrees?: boolean;
  readonly company?: 'same' | 'unknown';
}

function detailsOf(error: Ended['error']): Named {
  const [first] = (error?.details ?? []) as readonly Named[];
  return first ?? {};
}
