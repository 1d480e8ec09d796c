import { expect, it } from 'vitest';
import type { Direction } from '../../../../src/contract/operation.js';
import { isoSeconds } from '../../../../src/runtime/clock.js';
import { Seeded } from '../../../support/seeded.js';
import { createWords, type Account } from '../catalog.js';
import { Machine, wordsOf } from '../machine.js';
import type { CompanyName } from '../service.js';
import { CALM, SimulatedWorld } from '../world.js';
import { groupOf, groupOfOperation } from './intent.js';

const SEEDS = Number(process.env['COUNT'] ?? 3);
const TRIES_MAX = 6;

interface Payment {
  readonly reference: string | null;
  readonly amount?: number;
  readonly company?: CompanyName;
  readonly direction?: Direction;
  readonly account?: Account;
  readonly words?: readonly string[];
}

class Use {
  readonly world: SimulatedWorld;
  readonly machine: Machine;
  readonly refused: string[] = [];
  readonly #meant = new Map<string, number>();
  readonly #seed: number;
  #containers = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.world = new SimulatedWorld({ ...CALM, pendingHours: [0, 1], faultRate: 0.05, killRate: 0.01 }, seed);
    this.world.isCareful = false;
    this.world.chance(new Seeded(seed));
    [this.machine] = this.world.machines;
  }

  container(): Machine {
    this.#containers += 1;
    return new Machine(this.world.service, this.#seed * 1000 + this.#containers, this.world.program);
  }

  async pay(
    { reference, amount = 10, company = 'A', direction = 'payout', account = 'good', words = [] }: Payment,
    machine = this.machine,
  ): Promise<void> {
    const { world } = this;
    const group = groupOf({ company, direction, reference, person: 0 });
    if (account !== 'failing') this.#meant.set(group, (this.#meant.get(group) ?? 0) + 1);
    const row = { reference: reference ?? '', amount, person: 0, account };
    const line = [...createWords(direction, row), ...words, '--live', '--json'];
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const { exitCode, error, isKilled } = await world.type(machine, line, 1, company);
      if (exitCode === 0 || exitCode === 9) return;
      const next = error?.next_command ?? '';
      if (!isKilled && next.includes(' requests repeat ')) {
        const { exitCode: end } = await world.type(machine, wordsOf(next), 1, company);
        if (end === 0 || end === 9) return;
      } else if (exitCode === 13) {
        this.refused.push(`${String(reference)}: ${error?.code ?? ''} ${error?.message ?? ''}`);
        return;
      }
    }
    this.refused.push(`${String(reference)}: never answered`);
  }

  wrong(): string[] {
    this.world.hours(100);
    const made = Map.groupBy(
      this.world.service.ledger.filter(({ status }) => status !== 'failed'),
      groupOfOperation,
    );
    return [...this.#meant].flatMap(([group, count]) => {
      const paid = made.get(group)?.length ?? 0;
      return paid === count ? [] : [`${group}: meant ${String(count)} times, paid ${String(paid)} times`];
    });
  }
}

const LABELS = ['--profile', 'shop'];

const USES: Readonly<Record<string, (use: Use) => Promise<void>>> = {
  'a reference for each payment': (use) => every(use, 1, (count) => ({ reference: `u${String(count)}` })),
  'a job that runs each day, with the date in its reference': (use) =>
    every(use, 24, (count) => ({ reference: `rent-${String(count)}` })),
  'one reference each day, with --new-since': (use) =>
    every(use, 24, () => ({
      reference: 'sweep',
      words: ['--new-since', isoSeconds(use.world.now - 3_600_000)],
    })),
  'a pay-in and its refund': async (use) => {
    for (let order = 0; order < 4; order += 1) {
      await use.pay({ reference: `o${String(order)}`, amount: 20, direction: 'payin' });
      use.world.hours(30);
      await use.pay({ reference: `o${String(order)}`, amount: 20 });
    }
  },
  'two companies on one machine': async (use) => {
    for (let invoice = 0; invoice < 6; invoice += 1) {
      for (const company of ['A', 'B'] as const)
        await use.pay({ reference: `inv-${String(invoice)}`, company });
      use.world.hours(1);
    }
  },
  'no references': (use) => every(use, 1, () => ({ reference: null })),
  'a reference whose payment failed': async (use) => {
    for (let one = 0; one < 4; one += 1) {
      await use.pay({ reference: `f${String(one)}`, account: 'failing' });
      use.world.hours(2);
      await use.pay({ reference: `f${String(one)}` });
      use.world.hours(2);
    }
  },
  'a reference whose payment failed, from a machine that knows nothing': async (use) => {
    for (let one = 0; one < 4; one += 1) {
      await use.pay({ reference: `f${String(one)}`, account: 'failing' }, use.container());
      use.world.hours(2);
      await use.pay({ reference: `f${String(one)}` }, use.container());
      use.world.hours(2);
    }
  },
  'customer numbers as references, in a profile that says so': async (use) => {
    const add = 'profiles add shop --base-url https://api.example.test --references labels';
    await use.world.type(use.machine, add.split(' '), 0);
    await every(use, 2, (count) => ({
      reference: `customer-${String(count % 3)}`,
      amount: 10 * (1 + (count % 2)),
      words: LABELS,
    }));
  },
  'containers without any state, with keys of their own': async (use) => {
    for (let count = 0; count < 8; count += 1) {
      const words = ['--idempotency-key', `order-key-${String(count)}`];
      await use.pay({ reference: `c${String(count)}`, words }, use.container());
      use.world.hours(5);
    }
  },
};

async function every(use: Use, hours: number, payment: (count: number) => Payment): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    await use.pay(payment(count));
    use.world.hours(hours);
  }
}

async function playUse(play: (typeof USES)[string], seed: number) {
  const use = new Use(seed);
  try {
    await play(use);
    return { refused: use.refused, wrong: use.wrong() };
  } finally {
    use.world.end();
  }
}

it.each(Object.entries(USES))('%s', async (_name, play) => {
  for (let seed = 1; seed <= SEEDS; seed += 1)
    expect(await playUse(play, seed), `seed ${String(seed)}`).toEqual({ refused: [], wrong: [] });
});
