import { foldReference } from '../../../../src/contract/reference.js';
import { Seeded } from '../../../support/seeded.js';
import type { Machine } from '../machine.js';
import type { Program } from '../program.js';
import { type CompanyName, drawing, HOUR_MS } from '../service.js';
import { Turns } from '../turns.js';
import { CALM, SimulatedWorld, type Setting } from '../world.js';
import { forge } from './forging.js';
import { groupOf, groupOfOperation, type Intent } from './intent.js';
import { CACHES, Line, type LineManners } from './line.js';
import { MONTH_FAMILIES, playMonths, type MonthsSetting } from './months.js';
import { Person, type Habits } from './person.js';

const MIXED_FAMILIES = ['one', 'clocks', 'forged'] as const;
type MixedFamily = (typeof MIXED_FAMILIES)[number];
export const FAMILIES = [...MIXED_FAMILIES, ...MONTH_FAMILIES] as const;
export type Family = (typeof FAMILIES)[number];

export interface SinglesSetting extends Setting, LineManners, Habits {
  readonly family: MixedFamily;
}

const LENGTHS = [5, 9, 14];
const QUIET_HOURS = 100;
const PURSUITS_MAX = 8;
const STEPS_MAX = 160;

function settingOf(family: MixedFamily, random: Seeded): SinglesSetting {
  const setting: SinglesSetting = {
    family,
    memoryHours: random.pick([24, 24, 720, Infinity]),
    order: 'replay',
    hasLateEvents: false,
    createdAheadMs: 0,
    saysDate: random.chance(0.9),
    cache: random.pick(['none', ...CACHES] as const),
    keptHours: random.pick([1, 30, 200]),
    wrongRate: random.pick([0, 0, 0, 0.3]),
    pendingHours: random.pick([[0], [0, 1], [0, 10], [0, 40], [60]]),
    killRate: random.pick([0, 0.05, 0.15]),
    faultRate: random.pick([0, 0.15, 0.4]),
    failRate: random.pick([0, 0.3]),
    labelRate: random.pick([0, 0, 0.4]),
    trustRate: 0,
  };
  if (family === 'one') return setting;
  const plain = { ...setting, labelRate: 0 };
  if (family === 'forged') return plain;
  const cache = random.chance(0.3) ? 'stale' : setting.cache;
  const isTold = setting.saysDate && cache !== 'rewriting';
  return {
    ...{ ...plain, cache, trustRate: isTold ? 0.5 : 0 },
    ...{ memoryHours: 24, killRate: 0.25, faultRate: 0.4, pendingHours: [0], failRate: 0, wrongRate: 0 },
  };
}

export interface SinglesOutcome {
  readonly world: SimulatedWorld;
  readonly tally: ReadonlyMap<string, number>;
  readonly intents: number;
}

export async function playSingles(
  family: Family,
  seed: number,
  program?: Program,
  manners: Partial<MonthsSetting> = {},
): Promise<SinglesOutcome> {
  const months = MONTH_FAMILIES.find((one) => one === family);
  if (months !== undefined) return playMonths(months, seed, program, manners);
  const mixed = MIXED_FAMILIES.find((one) => one === family) ?? 'one';
  return playMixed(mixed, seed, program);
}

async function playMixed(family: MixedFamily, seed: number, program?: Program): Promise<SinglesOutcome> {
  const random = new Seeded(seed);
  const setting = settingOf(family, random);
  const world = new SimulatedWorld(setting, seed, program);
  try {
    const play = new Play(world, setting, random);
    for (let left = random.pick(LENGTHS); left > 0; left -= 1) await play.step();
    await play.end();
    await play.judge();
    return { world, tally: play.person.tally, intents: play.person.intents.length };
  } finally {
    world.end();
  }
}

class Play {
  readonly person: Person;
  readonly #world: SimulatedWorld;
  readonly #setting: SinglesSetting;
  readonly #random: Seeded;

  constructor(world: SimulatedWorld, setting: SinglesSetting, random: Seeded) {
    this.#world = world;
    this.#setting = setting;
    this.#random = random;
    this.person = new Person(world, setting, random);
    world.isCareful = false;
    world.service.line = new Line(setting, random);
    world.service.draw = drawing(random, { ...setting, killRate: 0 });
    world.life = (): { diesHere?: () => boolean } => {
      if (!random.chance(setting.killRate)) return {};
      let left = random.below(STEPS_MAX);
      return { diesHere: () => (left -= 1) < 0 };
    };
    world.say(`# ${JSON.stringify(setting)}`);
  }

  async step(): Promise<void> {
    const [random, person, { family }] = [this.#random, this.person, this.#setting];
    const [machine] = this.#world.machines;
    const x = random.fraction();
    if (family === 'clocks' && person.intents.length > 0 && random.chance(0.5)) return this.#disturb(machine);
    if (family === 'forged' && person.intents.length > 0 && random.chance(0.2))
      return forge(this.#world, machine, random.pick(person.intents), random);
    const recent = person.intents.slice(-4);
    if (x < 0.2 || recent.length === 0) {
      const intent = person.mean();
      return random.chance(0.85) ? person.type(intent) : person.twice(intent, this.#turns());
    }
    const intent = random.pick(recent);
    if (x < 0.32) return person.again(intent);
    if (x < 0.38) return person.mistype(intent);
    if (x < 0.58) return person.pursue(intent);
    if (x < 0.62) return person.repeatAll(machine);
    if (x < 0.65) return person.forgetOne(machine);
    if (x < 0.73) return person.payBatch(machine, new Turns(random, 0));
    if (x < 0.76) return person.resumeAny(machine);
    if (x < 0.88) {
      this.#wait(random.pick([0.05, 0.3, 2, 12, 25, 30, 50, 200, 480, 720]));
      return;
    }
    if (x < 0.91) {
      this.#set(machine, random.pick([0, 8, -8, 30, -30, -100, 0.3]));
      return;
    }
    if (x < 0.925) {
      this.#reboot(machine);
      return;
    }
    if (x < 0.94) {
      this.#freeze(machine, random.pick([2, 30]), 0.2);
      return;
    }
    if (x < 0.96) {
      this.#rotate(machine, random.pick(['A', 'B'] as const));
      return;
    }
    await this.#sync(machine);
  }

  async #disturb(machine: Machine): Promise<void> {
    const random = this.#random;
    switch (
      random.pick([
        'wait',
        'wait',
        'clock',
        'reboot',
        'freeze',
        'repeat',
        'repeat',
        'catalog',
        'sync',
        'sync',
      ] as const)
    ) {
      case 'wait': {
        this.#wait(random.pick([2, 20, 25, 26, 30, 50]));
        return;
      }
      case 'clock': {
        this.#set(machine, random.pick([0, 8, -8, 30, -30, -100]));
        return;
      }
      case 'reboot': {
        this.#reboot(machine);
        return;
      }
      case 'freeze': {
        this.#freeze(machine, random.pick([2, 30]), 0.4);
        return;
      }
      case 'repeat':
        return this.#repeat(machine);
      case 'catalog':
        await this.#world.type(machine, ['capabilities', '--live', '--json'], 0);
        return;
      case 'sync':
        return this.#sync(machine);
    }
  }

  async #repeat(machine: Machine): Promise<void> {
    const { person } = this;
    await person.repeatAll(machine);
    for (const intent of person.intents.slice(-4))
      if (intent.belief === 'unknown' && this.#random.chance(0.5)) await person.pursue(intent);
  }

  async #sync(machine: Machine): Promise<void> {
    const company = this.#random.pick(['A', 'B'] as const);
    await this.#world.type(machine, ['events', 'sync', '--live', '--json'], 0, company);
  }

  #turns(): Turns {
    return new Turns(this.#random, this.#setting.killRate / 20);
  }

  #wait(hours: number): void {
    this.#world.hours(hours);
    this.#world.say(`wait ${String(hours)} h`);
  }

  #set(machine: Machine, hours: number): void {
    machine.skewMs = hours * HOUR_MS;
    this.#world.say(`clock ${String(hours)} h`);
  }

  #rotate(machine: Machine, company: CompanyName): void {
    if (this.person.hasBatches) return;
    machine.rotations[company] += 1;
    this.#world.say(`another key of ${company}`);
  }

  #reboot(machine: Machine): void {
    machine.reboot();
    this.#world.say('reboot');
  }

  #freeze(machine: Machine, hours: number, staysRate: number): void {
    this.#world.hours(hours);
    machine.frozenMs += hours * HOUR_MS;
    machine.skewMs = this.#random.chance(staysRate) ? machine.skewMs - hours * HOUR_MS : 0;
    this.#world.say(`frozen ${String(hours)} h`);
  }

  async end(): Promise<void> {
    const [world, { person }] = [this.#world, this];
    world.say('# the end');
    world.life = null;
    world.hours(QUIET_HOURS);
    const { cache } = this.#setting;
    const calm = new Seeded(7);
    world.service.draw = drawing(calm, { ...CALM, pendingHours: [0] });
    world.service.line = new Line(
      { ...this.#setting, wrongRate: 0, cache: cache === 'rewriting' || cache === 'stale' ? 'none' : cache },
      calm,
    );
    person.calm(calm);
    const [machine] = world.machines;
    machine.skewMs = 0;
    await person.resumeAll(machine);
    for (const intent of person.intents) await this.#pursue(intent);
    for (const intent of person.intents) {
      if (await this.#pursue(intent)) continue;
      person.count('stuck');
      world.say(`STUCK ${String(intent.number)}: ${String(intent.belief)} ${String(intent.code)}`);
    }
  }

  async #pursue(intent: Intent): Promise<boolean> {
    const [world, { person }] = [this.#world, this];
    for (let left = PURSUITS_MAX; left > 0; left -= 1) {
      if (intent.belief === 'pending') {
        const one = world.service.ledger.find(({ id }) => id === intent.operation);
        if (one === undefined) return true;
        if (one.status === 'pending') world.service.pass(Math.max(0, one.dueAtMs - world.now));
        intent.belief = one.status === 'confirmed' ? 'paid' : 'failed';
      }
      if (intent.belief === 'paid' || (intent.belief === 'failed' && intent.account === 'failing'))
        return true;
      world.hours(0.3);
      await person.pursue(intent, 1.1);
    }
    return intent.belief === 'paid' || intent.belief === 'pending';
  }

  async judge(): Promise<void> {
    const { intents, tally } = this.person;
    const world = this.#world;
    world.service.settle();
    const made = new Map<string, number>();
    for (const one of world.service.ledger)
      if (one.status !== 'failed')
        made.set(groupOfOperation(one), (made.get(groupOfOperation(one)) ?? 0) + 1);
    const add = (name: string): void => void tally.set(name, (tally.get(name) ?? 0) + 1);
    for (const [group, mine] of Map.groupBy(intents, groupOf)) {
      const count = made.get(group) ?? 0;
      const believed = mine.filter(({ belief }) => belief === 'paid' || belief === 'pending').length;
      const kind = mine[0]?.reference === null ? ' without a reference' : '';
      if (count > mine.length) add(`twice${kind}`);
      if (believed > count) add(mine.length === 1 ? 'lost' : 'lost among several');
    }
    for (const [group, count] of made)
      if (!intents.some((intent) => groupOf(intent) === group))
        add(`paid though nobody meant it (${String(count)})`);
    for (const row of await this.person.confirmedRows()) {
      const one = world.service.ledger.find(({ id }) => id === row.operation);
      const isOwn =
        one?.status === 'confirmed' && foldReference(one.reference) === foldReference(row.reference);
      if (!isOwn) add('lied');
    }
  }
}
