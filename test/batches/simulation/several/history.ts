import { Seeded } from '../../../support/seeded.js';
import { SeveralMachine } from './machine.js';
import type { SeveralRule } from './rules.js';
import { plannedRows, runMachine } from './run.js';
import { SeveralService } from './service.js';
import { Database } from './tables.js';
import { Time } from './time.js';

const HOUR_MS = 3_600_000;
const LATER_MS = [0, 2000, 20_000, 20_000, 25 * HOUR_MS] as const;
const STANDSTILLS_MS = [5000, 40_000, 90_000, 300_000, 26 * HOUR_MS] as const;
const AHEAD_MS = [0, 0, 0.1 * HOUR_MS, -3 * HOUR_MS] as const;

export type SeveralVerdict = 'twice' | 'lost' | 'open' | 'unsettled';

export interface SeveralEnd {
  readonly verdicts: readonly SeveralVerdict[];
  readonly met: Readonly<Record<string, number>>;
}

export async function playSeveral(seed: number, without: SeveralRule | null = null): Promise<SeveralEnd> {
  const world = new SeveralWorld(seed, without);
  return world.play();
}

class SeveralWorld {
  readonly #time = new Time();
  readonly #random: Seeded;
  readonly #service: SeveralService;
  readonly #database: Database;
  readonly #met: Record<string, number> = {};
  #faultRate: number;
  #atWork = 0;
  #tokens = 0;
  #settled = new Set<number>();
  #hasUnsettled = false;

  constructor(
    seed: number,
    private readonly without: SeveralRule | null,
  ) {
    this.#random = new Seeded(seed);
    const random = this.#random;
    this.#faultRate = random.pick([0, 0.02, 0.1]);
    const manners = {
      faultRate: random.pick([0, 0.1, 0.3]),
      slowMs: random.pick([500, 8000]),
      saysDate: random.chance(0.6),
    };
    this.#service = new SeveralService(this.#time, random, manners);
    this.#database = new Database(this.#time, plannedRows(), without);
  }

  async play(): Promise<SeveralEnd> {
    const random = this.#random;
    for (let count = 1 + random.below(3); count > 0; count -= 1) {
      this.#later(random.below(20_000), () => this.#enter(2));
    }
    if (random.chance(0.4))
      this.#database.failOverBehind(5 + random.below(60), random.below(3000), () => {
        this.#settled = new Set(this.#confirmed());
        this.#meet('servers that took over');
      });
    let isOver = await this.#time.until(() => this.#atWork === 0);
    this.#faultRate = 0;
    for (let round = 0; round < 4 && this.#isOpen(); round += 1) {
      this.#time.nowMs += random.pick([0.1, 25]) * HOUR_MS;
      this.#enter(0);
      isOver &&= await this.#time.until(() => this.#atWork === 0);
    }
    return { verdicts: this.#verdicts(isOver), met: this.#met };
  }

  #later(ms: number, happen: () => void): void {
    this.#atWork += 1;
    this.#time.in(ms, () => {
      this.#atWork -= 1;
      happen();
    });
  }

  #meet(what: string): void {
    this.#met[what] = (this.#met[what] ?? 0) + 1;
  }

  #enter(again: number): void {
    const random = this.#random;
    const machine = new SeveralMachine(this.#time, again === 0 ? 0 : random.pick(AHEAD_MS));
    this.#atWork += 1;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#atWork -= 1;
      if (again > 0 && this.#isOpen()) this.#later(random.pick(LATER_MS), () => this.#enter(again - 1));
    };
    if (again > 0)
      this.#time.in(random.below(40_000), () => {
        if (isOver) return;
        const what = random.pick(['killed', 'stopped', 'asleep', 'spared'] as const);
        this.#meet(`machines that were ${what}`);
        if (what === 'killed') {
          machine.isDead = true;
          end();
        } else if (what !== 'spared') machine.stand(what, random.pick(STANDSTILLS_MS));
      });
    const name = `machine-${String((this.#tokens += 1))}`;
    const setting = { database: this.#database, service: this.#service, without: this.without, random, name };
    const onExchange = (): void => this.#note();
    void runMachine(machine, { ...setting, faultRate: this.#faultRate, onExchange })
      .then(
        () => this.#meet('runs that ended'),
        (error: unknown) => this.#meet(`runs that ended with ${codeOf(error)}`),
      )
      .finally(end);
  }

  #confirmed(): number[] {
    return this.#database.tables.rows.flatMap((row, at) => (row.state === 'confirmed' ? [at] : []));
  }

  #note(): void {
    const { rows } = this.#database.tables;
    for (const at of this.#settled) if (rows[at]!.state !== 'confirmed') this.#hasUnsettled = true;
    for (const at of this.#confirmed()) this.#settled.add(at);
  }

  #isOpen(): boolean {
    const isUnknowable = !this.#service.manners.saysDate;
    return this.#database.tables.rows.some(
      ({ state }) =>
        state !== 'confirmed' && state !== 'needs_review' && !(state === 'unknown' && isUnknowable),
    );
  }

  #verdicts(isOver: boolean): SeveralVerdict[] {
    const { paid } = this.#service;
    const { rows } = this.#database.tables;
    const ids = new Set(paid.map(({ id }) => id));
    return [
      ...(new Set(paid.map(({ reference }) => reference)).size < paid.length ? (['twice'] as const) : []),
      ...(rows.some(({ state, operation }) => state === 'confirmed' && !ids.has(operation ?? ''))
        ? (['lost'] as const)
        : []),
      ...(this.#isOpen() || !isOver ? (['open'] as const) : []),
      ...(this.#hasUnsettled ? (['unsettled'] as const) : []),
    ];
  }
}

function codeOf(error: unknown): string {
  const { facts } = error as { facts?: { code?: string } };
  if (facts?.code === undefined) throw error;
  return facts.code;
}
