import type { Direction } from '../../../src/contract/operation.js';
import { isoSeconds } from '../../../src/runtime/clock.js';
import { batchesOf } from './books.js';
import { createWords, rowOf, type Row } from './catalog.js';
import { finish } from './history.js';
import type { Ended, Machine } from './machine.js';
import type { Program } from './program.js';
import type { Rule } from './rules.js';
import { HOUR_MS, type Fate, type Fault } from './service.js';
import { verdictOf } from './verdict.js';
import { CALM, SimulatedWorld, type Setting } from './world.js';

export interface Story {
  readonly name: string;
  readonly rule: Rule;
  readonly setting?: Partial<Setting>;
  readonly ends: string;
  readonly endsWithout: string;
  readonly tell: (world: SimulatedWorld, machine: Machine) => Promise<unknown>;
}

export async function endOfStory({ setting, tell }: Story, program?: Program): Promise<string> {
  const world = new SimulatedWorld({ ...CALM, ...setting }, 1, program);
  try {
    const told = await tell(world, world.machines[0]);
    const said = typeof told === 'string' ? told : undefined;
    await world.check();
    await finish(world);
    const verdicts = (await verdictOf(world)).filter((verdict) => verdict !== 'stuck' || said === undefined);
    return [...verdicts, ...(said === undefined ? [] : [said])].join(', ');
  } finally {
    world.end();
  }
}

const A = rowOf('a');
const B = rowOf('b', { person: 1 });
const fate = (fault: Fault | null, pendingHours = 0): Fate => ({ fault, pendingHours });
const open = (hours: number): Fate[] => [fate('lost_after', hours), fate('lost_before'), fate('lost_before')];

const batches = (verb: string, name: string, ...words: string[]): string[] => [
  ...['batches', verb, name, '--json'],
  ...(verb === 'drop' ? [] : ['--live']),
  ...(verb === 'resume' || verb === 'retry' ? ['--concurrency', '1'] : []),
  ...(verb === 'retry' ? ['--failed'] : []),
  ...words,
];
const meets = (world: SimulatedWorld, ...fates: readonly Fate[]): void => {
  world.service.script.splice(0, world.service.script.length, ...fates);
};
async function stateOf(machine: Machine, name: string): Promise<string> {
  const book = (await batchesOf(machine)).find(({ batch }) => batch.name === name);
  return book?.rows.map(({ state }) => state).join(' ') ?? 'no batch';
}
const single = (
  world: SimulatedWorld,
  machine: Machine,
  direction: Direction,
  pays: Row = A,
  ...words: string[]
): Promise<Ended> => world.type(machine, [...createWords(direction, pays), ...words, '--live', '--json'], 1);

const PAID_TWICE = { setting: { memoryHours: 24 }, ends: '', endsWithout: 'twice' } as const;

export const STORIES: readonly Story[] = [
  {
    name: 'a page of a gateway, forgotten as it was advised, and typed again',
    rule: 'forgotten marks',
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean('payout', 'a');
      meets(world, fate('not_found_after', 100), fate('not_found_after'), fate('not_found_after'));
      const { error } = await single(world, machine, 'payout');
      const key = /forget (?:-- )?([A-Za-z0-9-]+)/.exec(error?.message ?? '')?.[1] ?? '';
      await world.type(machine, ['requests', 'forget', '--json', '--yes', '--', key], 1);
      world.hours(30);
      meets(world);
      await single(world, machine, 'payout');
    },
  },
  {
    name: 'a clock that is 8 hours fast while it sends, and mended after that',
    rule: 'service clock',
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean('payin', 'a');
      machine.skewMs = 8 * HOUR_MS;
      meets(world, ...open(100));
      await world.batch(machine, 'n1', 'payin', [A]);
      machine.skewMs = 0;
      world.hours(28);
      meets(world);
      await world.type(machine, batches('resume', 'n1'), 1);
    },
  },
  {
    name: 'the same, 9 hours later: its own payment is not called an older one',
    rule: 'service clock',
    ...{ ends: 'confirmed', endsWithout: 'earlier' },
    tell: async (world, machine) => {
      world.mean('payin', 'a');
      machine.skewMs = 8 * HOUR_MS;
      meets(world, ...open(0));
      await world.batch(machine, 'n1', 'payin', [A]);
      machine.skewMs = 0;
      world.service.hide();
      world.hours(9);
      meets(world);
      await world.type(machine, batches('resume', 'n1'), 1);
      return stateOf(machine, 'n1');
    },
  },
  {
    name: 'an event that shows late, behind the cursor',
    rule: 'overlap',
    setting: { memoryHours: 24, hasLateEvents: true },
    ...{ ends: '', endsWithout: 'twice' },
    tell: async (world, machine) => {
      world.mean('payout', 'a', 'b');
      await world.batch(world.machines[1], 'n1', 'payout', [A, B]);
      await world.type(machine, ['events', 'sync', '--live', '--json'], 1);
      world.hours(30);
      await world.batch(machine, 'n2', 'payout', [A, B]);
      await world.batch(machine, 'n3', 'payout', [A]);
    },
  },
  {
    name: 'a retried row that is open, named by its first try, which failed',
    rule: 'failed tries',
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean('payout', 'a');
      world.service.outcome = 'failed';
      await world.batch(machine, 'n1', 'payout', [A]);
      world.service.outcome = null;
      const [first] = world.service.ledger;
      world.hours(1);
      meets(world, ...open(100));
      await world.type(machine, batches('retry', 'n1'), 1);
      world.hours(25);
      meets(world);
      await world.type(machine, batches('resume', 'n1'), 1);
      await world.type(
        machine,
        batches('resolve', 'n1', '--reference', 'a', '--operation', first?.id ?? ''),
        1,
      );
      await world.type(machine, batches('retry', 'n1'), 1);
    },
  },
  {
    name: 'a refusal after an attempt that is open',
    rule: 'no refusal after an open attempt',
    setting: { memoryHours: 24, order: 'validate' },
    ...{ ends: '', endsWithout: 'twice' },
    tell: async (world, machine) => {
      world.mean('payin', 'a');
      meets(world, ...open(100));
      await world.batch(machine, 'n1', 'payin', [A]);
      world.hours(1);
      meets(world, fate('refused'));
      await world.type(machine, batches('resume', 'n1'), 1);
      world.hours(25);
      meets(world);
      await world.type(machine, batches('retry', 'n1'), 1);
    },
  },
  {
    name: 'a row that failed, corrected in a new file',
    rule: 'generations',
    ...{ ends: 'confirmed', endsWithout: 'needs_review' },
    tell: async (world, machine) => {
      world.mean('payout', 'a');
      await world.batch(machine, 'n1', 'payout', [{ ...A, account: 'failing' }]);
      world.hours(2);
      await world.batch(machine, 'n2', 'payout', [A]);
      return stateOf(machine, 'n2');
    },
  },
  {
    name: 'a payment of another machine that is pending, and fails',
    rule: 'earlier by status',
    ...{ ends: '', endsWithout: 'lost' },
    tell: async (world, machine) => {
      world.mean('payout', 'a');
      meets(world, fate(null, 10));
      await world.batch(machine, 'n1', 'payout', [{ ...A, account: 'failing' }]);
      world.hours(1);
      const other = world.machines[1];
      other.bornAtMs = -Infinity;
      world.isCareful = false;
      await world.batch(other, 'n1', 'payout', [{ ...A, account: 'failing' }]);
      world.hours(20);
      await world.type(other, batches('resume', 'n1'), 1);
    },
  },
  ...(['payin', 'payout'] as const).map((direction): Story => ({
    name: `a store that is lost while a ${direction} is pending`,
    rule: 'first here',
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean(direction, 'a');
      meets(world, fate(null, 100));
      await world.batch(machine, 'n1', direction, [A]);
      world.hours(30);
      machine.remove('both');
      machine.bornAtMs = world.now;
      await world.batch(machine, 'n1', direction, [A]);
    },
  })),
  {
    name: 'what is paid left out, with an amount that was edited',
    rule: 'strict skip',
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean('payout', 'a', 'b');
      await world.batch(machine, 'n1', 'payout', [A]);
      world.hours(30);
      machine.remove('both');
      await world.batch(machine, 'n1', 'payout', [{ ...A, amount: 120 }, B], 1, ['--skip-paid']);
    },
  },
  {
    name: 'a new month after a lost store, with --skip-paid by mistake',
    rule: 'skipped is earlier',
    ...{ ends: '', endsWithout: 'lied' },
    tell: async (world, machine) => {
      world.mean('payout', 'a', 'a');
      await world.batch(machine, 'october', 'payout', [A]);
      world.hours(720);
      machine.remove('store');
      await world.batch(machine, 'november', 'payout', [A], 2, ['--skip-paid']);
    },
  },
  {
    name: 'a payment that is left out while it is pending, and fails',
    rule: 'skipped is pending',
    ...{ ends: '', endsWithout: 'lost' },
    tell: async (world, machine) => {
      world.mean('payout', 'a', 'b');
      world.service.outcome = 'failed';
      meets(world, fate(null, 50));
      await world.batch(machine, 'n1', 'payout', [A]);
      world.service.outcome = null;
      await world.batch(machine, 'n2', 'payout', [A, B], 1, ['--skip-paid']);
    },
  },
  {
    name: 'the same command line again after a lost store',
    rule: 'new since',
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean('payout', 'a', 'a');
      await world.batch(machine, 'october', 'payout', [A]);
      world.hours(720);
      const since = ['--new-since', isoSeconds(world.now - HOUR_MS)];
      await world.batch(machine, 'november', 'payout', [A], 2, since);
      world.hours(30);
      machine.remove('both');
      await world.batch(machine, 'november', 'payout', [A], 2, since);
    },
  },
  {
    name: 'a service whose stamps are half an hour behind: a payment that may be an older one is never called confirmed',
    rule: 'ten minutes',
    setting: { createdAheadMs: -HOUR_MS / 2 },
    ...{ ends: 'earlier', endsWithout: 'confirmed' },
    tell: async (world, machine) => {
      world.mean('payout', 'a');
      await world.batch(machine, 'n1', 'payout', [A]);
      return stateOf(machine, 'n1');
    },
  },
  {
    name: 'a script with a key of its own, three days later',
    rule: 'own key',
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean('payout', '');
      const ownKey = ['--idempotency-key', 'payroll-of-october-a'];
      await single(world, machine, 'payout', rowOf(''), ...ownKey);
      world.hours(72);
      await single(world, machine, 'payout', rowOf(''), ...ownKey);
    },
  },
  ...(['singles', 'retry asks'] as const).map((rule): Story => ({
    name: `a rejected row that was paid by hand, and then retried (${rule})`,
    rule,
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean('payout', 'a');
      meets(world, fate('refused'));
      await world.batch(machine, 'n1', 'payout', [A]);
      meets(world, fate(null, 100));
      await single(world, machine, 'payout');
      world.hours(30);
      meets(world);
      await world.type(machine, batches('retry', 'n1'), 1);
    },
  })),
  {
    name: 'a reference in capitals on another machine',
    rule: 'folding in the key',
    ...{ ends: '', endsWithout: 'twice' },
    tell: async (world, machine) => {
      world.mean('payout', 'a');
      meets(world, fate(null, 100));
      await world.batch(machine, 'n1', 'payout', [A]);
      world.hours(1);
      meets(world);
      world.isCareful = false;
      world.machines[1].bornAtMs = -Infinity;
      await world.batch(world.machines[1], 'n1', 'payout', [{ ...A, reference: 'A' }]);
    },
  },
  {
    name: 'a reference in capitals a day after it was paid, on another machine',
    rule: 'folding in the feed',
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean('payout', 'a');
      await world.batch(machine, 'n1', 'payout', [A]);
      world.hours(30);
      await world.batch(world.machines[1], 'n1', 'payout', [{ ...A, reference: 'A' }]);
    },
  },
  {
    name: 'a row that was never answered, a day later',
    rule: '23 hours',
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean('payin', 'a');
      meets(world, ...open(100));
      await world.batch(machine, 'n1', 'payin', [A]);
      world.hours(30);
      meets(world);
      await world.type(machine, batches('resume', 'n1'), 1);
    },
  },
  {
    name: 'an open row, and a payment of its reference that was made days later elsewhere',
    rule: '24 hours',
    ...{ ends: 'earlier', endsWithout: 'lied, confirmed' },
    tell: async (world, machine) => {
      world.mean('payout', 'a', 'a');
      meets(world, fate('lost_before'), fate('lost_before'), fate('lost_before'));
      await world.batch(machine, 'n1', 'payout', [A]);
      world.hours(50);
      meets(world);
      await world.batch(world.machines[1], 'n2', 'payout', [A], 2);
      await world.type(machine, batches('resume', 'n1'), 1);
      return stateOf(machine, 'n1');
    },
  },
  {
    name: 'a batch whose account is corrected in a new file while the first is open and the mirror is lost',
    rule: 'company of a lost mirror',
    ...PAID_TWICE,
    tell: async (world, machine) => {
      world.mean('payin', 'a');
      meets(world, ...open(100));
      await world.batch(machine, 'n1', 'payin', [A]);
      world.hours(30);
      machine.remove('mirror');
      meets(world);
      machine.bornAtMs = -Infinity;
      await world.batch(machine, 'n2', 'payin', [{ ...A, person: 1 }]);
    },
  },
];
