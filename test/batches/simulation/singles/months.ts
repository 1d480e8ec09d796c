import { Seeded } from '../../../support/seeded.js';
import type { Program } from '../program.js';
import { PLAIN, Quirks, type Memory, type QuirkManners } from '../quirks.js';
import { HOUR_MS, neverWas, type Fate, type Fault } from '../service.js';
import { Turns } from '../turns.js';
import { CALM, SimulatedWorld, type Setting } from '../world.js';
import type { SinglesOutcome } from './history.js';
import { Payers, type PayerHabits } from './payers.js';
import type { Payer } from './payment.js';

export const MONTH_FAMILIES = ['months', 'two', 'used', 'used on two', 'lost'] as const;
export type MonthFamily = (typeof MONTH_FAMILIES)[number];

export interface MonthsSetting extends Setting, QuirkManners, PayerHabits {
  readonly machines: 1 | 2;
  readonly spacingHours: number;
  readonly loseRate: number;
  readonly planRate: number;
}

interface Trait {
  readonly machines: 1 | 2;
  readonly remembers: readonly Memory[];
  readonly refusedRate: number;
  readonly differRate: number;
  readonly loseRate: number;
}

const USUAL: Trait = {
  ...{ machines: 1, remembers: ['none', 'none', 'all', 'business', 'shape'] },
  ...{ refusedRate: 0.25, differRate: 0.2, loseRate: 0 },
};
const TRAITS: Readonly<Record<MonthFamily, Trait>> = {
  months: USUAL,
  two: { ...USUAL, machines: 2 },
  used: { ...USUAL, refusedRate: 0.6, remembers: ['all', 'business', 'shape'] },
  'used on two': {
    ...{ ...USUAL, machines: 2, refusedRate: 0.6, differRate: 0.4 },
    remembers: ['none', 'all', 'business', 'shape'],
  },
  lost: { ...USUAL, loseRate: 0.25 },
};

const DAILY_HOURS = 26;
const LOST = ['lost_before', 'lost_after', 'page_after', 'not_found_after', 'unavailable'] as const;
const STEPS_MAX = 160;

function settingOf(family: MonthFamily, random: Seeded, startMs: number): MonthsSetting {
  const { machines, remembers, refusedRate, differRate, loseRate } = TRAITS[family];
  const spacingHours = random.pick([720, 720, DAILY_HOURS]);
  const fromMs = startMs + random.below(900) * HOUR_MS;
  return {
    ...CALM,
    ...{ machines, spacingHours, loseRate },
    memoryHours: random.pick([24, 48, Infinity]),
    lateHours: random.pick([[0], [0.3], [0.05, 6]]),
    pendingHours: random.pick([[0], [0, 2], [0, 12]]),
    faultRate: random.pick([0, 0, 0.15, 0.4]),
    killRate: random.pick([0, 0, 0.1, 0.25]),
    strangeRate: random.pick([0, 0, 0.1]),
    remembers: random.pick(remembers),
    undoneRate: random.pick([0, 0, 0.15]),
    goneRate: spacingHours > 100 ? random.pick([0, 0, 0.3]) : 0,
    stands: random.chance(0.1) ? { fromMs, toMs: fromMs + (5 + random.below(55)) * HOUR_MS } : null,
    ...{ pageSize: 3, asksEvents: false },
    refusedRate: random.chance(0.5) ? refusedRate : 0,
    failRate: random.pick([0, 0.3]),
    differRate: random.chance(0.5) ? differRate : 0,
    planRate: random.pick([0, 0, 0.15]),
  };
}

export async function playMonths(
  family: MonthFamily,
  seed: number,
  program?: Program,
  manners: Partial<MonthsSetting> = {},
): Promise<SinglesOutcome> {
  const random = new Seeded(seed);
  const world = new SimulatedWorld(CALM, seed, program);
  try {
    const order = seed % 3 === 0 ? ('validate' as const) : ('replay' as const);
    const setting = { ...settingOf(family, random, world.now), order, ...manners };
    const play = new Months(world, setting, random, seed);
    const months = random.pick([1, 2, 2, 3]);
    for (let month = 0; month < months; month += 1) await play.month(month);
    await play.end();
    play.judge();
    return { world, tally: play.payers.tally, intents: play.payers.payments.length };
  } finally {
    world.end();
  }
}

class Months {
  readonly payers: Payers;
  readonly #world: SimulatedWorld;
  readonly #setting: MonthsSetting;
  readonly #random: Seeded;
  readonly #references: readonly string[];

  constructor(world: SimulatedWorld, setting: MonthsSetting, random: Seeded, seed: number) {
    this.#world = world;
    this.#setting = setting;
    this.#random = random;
    this.#references = Array.from({ length: 1 + random.below(3) }, (_, at) => `r${String(at)}`);
    this.payers = new Payers(world, setting, random);
    world.isCareful = false;
    const { service } = world;
    service.manners = setting;
    service.quirks = new Quirks(setting, new Seeded(seed + 1_000_000));
    service.draw = (): Fate => this.#fate();
    world.life = (): { diesHere?: () => boolean } => {
      if (!random.chance(setting.killRate)) return {};
      let left = random.below(STEPS_MAX);
      return { diesHere: () => (left -= 1) < 0 };
    };
    world.say(`# ${JSON.stringify(setting)}`);
  }

  #fate(): Fate {
    const [random, { faultRate, pendingHours }] = [this.#random, this.#setting];
    const fault: Fault | null = random.chance(faultRate) ? random.pick(LOST) : null;
    return { fault, pendingHours: random.pick(pendingHours) * random.fraction() };
  }

  get #now(): readonly Payer[] {
    const month = this.payers.starts.length - 1;
    return this.payers.payments.filter((one) => one.month === month).flatMap(({ payers }) => payers);
  }

  async month(month: number): Promise<void> {
    const [world, random, setting, people] = [this.#world, this.#random, this.#setting, this.payers];
    const { starts } = people;
    const beforeMs = starts[month - 1];
    if (beforeMs !== undefined)
      world.service.pass(Math.max(0, beforeMs + setting.spacingHours * HOUR_MS - world.now));
    world.hours(2);
    starts.push(world.now);
    world.say(`# month ${String(month)}`);
    this.#references.forEach((reference, person) => {
      const amount = random.pick([10, 10, 20]);
      const number = people.payments.length;
      const payment = { number, reference, person, month, amount, payers: [] };
      people.payments.push(payment);
      const at = random.below(setting.machines);
      people.payer(payment, world.machines[at === 0 ? 0 : 1]);
      if (random.chance(0.65))
        people.payer(payment, world.machines[setting.machines === 2 && at === 0 ? 1 : 0]);
    });
    await this.#typeAll();
    for (let left = random.below(4); left > 0; left -= 1) {
      world.hours(random.pick([0.1, 3, 10]) * random.fraction());
      await people.pursue(random.pick(this.#now));
    }
    if (setting.loseRate > 0 && random.chance(setting.loseRate)) this.#lose();
    if (setting.spacingHours > 100 && random.chance(0.25)) await this.#again();
    const isDaily = setting.spacingHours === DAILY_HOURS;
    await this.#finish(
      this.#now.filter(({ belief }) => belief !== 'pending'),
      12,
      isDaily ? 2 : 5,
    );
  }

  async #typeAll(): Promise<void> {
    const [world, random, people] = [this.#world, this.#random, this.payers];
    for (const payer of this.#now) {
      if (payer.belief !== null) continue;
      const other = payer.payment.payers.find(
        (one) => one !== payer && one.belief === null && one.kind === 'single' && payer.kind === 'single',
      );
      if (other !== undefined && random.chance(0.3))
        await people.typeTogether([payer, other], new Turns(random, this.#setting.killRate / 20));
      else if (payer.kind === 'batch' && random.chance(this.#setting.planRate)) await people.plan(payer);
      else await people.type(payer);
      world.hours(random.pick([0.01, 0.05, 1, 5]) * random.fraction());
      const one = random.pick(this.#now);
      if (random.chance(0.3) && one.belief !== null) await people.pursue(one);
    }
  }

  #lose(): void {
    const [machine] = this.#world.machines;
    machine.remove('both');
    this.#world.say('# the stores are lost');
    for (const payer of this.#now) {
      Object.assign(payer, { next: null, key: null, batch: null, before: null, code: null });
      if (payer.belief === 'unknown' || payer.belief === 'wait') payer.belief = 'not sent';
    }
  }

  async #again(): Promise<void> {
    const [world, random] = [this.#world, this.#random];
    world.hours(121 + 29 * random.fraction());
    const payer = random.pick(this.#now);
    if (payer.kind !== 'batch' || payer.belief === null) return;
    world.say('# again, by mistake');
    const { belief, operation } = payer;
    if (random.chance(0.5)) payer.selection = [];
    await this.payers.typeBatch(payer);
    await this.payers.followNext(payer);
    if (belief === 'paid') Object.assign(payer, { belief, operation });
  }

  async #finish(payers: readonly Payer[], rounds: number, hours: number): Promise<void> {
    for (let left = rounds; left > 0; left -= 1) {
      const open = payers.filter((payer) => !this.payers.isDone(payer));
      if (open.length === 0) return;
      for (const payer of open) await this.payers.pursue(payer);
      this.#world.hours(hours);
    }
  }

  async end(): Promise<void> {
    const [world, { payers }] = [this.#world, this];
    world.say('# the end');
    world.hours(30);
    world.life = null;
    world.service.draw = (): Fate => ({ fault: null, pendingHours: 0 });
    const { remembers } = this.#setting;
    world.service.quirks.manners = { ...PLAIN, remembers, pageSize: 3 };
    await this.#finish(
      payers.payments.flatMap((one) => one.payers),
      24,
      9,
    );
  }

  judge(): void {
    const [{ service }, { payments, starts }] = [this.#world, this.payers];
    service.pass(200 * HOUR_MS);
    for (const reference of this.#references) {
      const ever = service.ledger.filter(
        (one) => one.reference === reference && one.outcome === 'confirmed' && !neverWas(one),
      );
      const paid = ever.filter(({ undoneAtMs }) => undoneAtMs === Infinity);
      const isTwice = paid.some(({ createdAtMs }, at) => createdAtMs < (starts[at] ?? Infinity));
      if (isTwice) this.payers.count('twice');
      const mine = payments.filter((one) => one.reference === reference);
      for (const one of mine) {
        const isPaid = one.payers.some(({ belief }) => belief === 'paid');
        if (isPaid || one.payers.every((payer) => this.payers.isDone(payer))) continue;
        this.payers.count('stuck');
        this.#world.say(
          `STUCK ${reference} ${String(one.month)}: ${one.payers.map(({ belief, code }) => `${String(belief)} ${String(code)}`).join('; ')}`,
        );
      }
      const believed = mine
        .flatMap((one) => one.payers)
        .filter(({ belief }) => belief === 'paid')
        .map(({ operation }) => operation);
      const real = new Set(ever.map(({ id }) => id));
      if (believed.some((id) => id === null || !real.has(id))) this.payers.count('lied');
      if (!isTwice && paid.some(({ id }) => !believed.includes(id))) this.payers.count('lost');
    }
  }
}
