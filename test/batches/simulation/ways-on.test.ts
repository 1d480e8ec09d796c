import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { batchesOf } from './books.js';
import { rowOf } from './catalog.js';
import type { Machine } from './machine.js';
import { resolveAll } from './resolving.js';
import { verdictOf } from './verdict.js';
import { CALM, SimulatedWorld } from './world.js';

let world: SimulatedWorld;
let machine: Machine;
beforeEach(() => {
  world = new SimulatedWorld(CALM);
  [machine] = world.machines;
});
afterEach(() => {
  world.end();
});

const batches = (verb: string, name: string, ...words: string[]): string[] => [
  ...['batches', verb, name, '--live', '--json'],
  ...words,
];
const unanswered = (): void => {
  const fate = { fault: 'lost_before', pendingHours: 0 } as const;
  world.service.script.push(fate, fate, fate);
};
const states = async (name: string): Promise<string[]> =>
  (await batchesOf(machine)).find(({ batch }) => batch.name === name)?.rows.map(({ state }) => state) ?? [];

it('a batch goes on with the key it began with, although the mirror is lost', async () => {
  world.mean('payout', 'a');
  unanswered();
  await world.batch(machine, 'n1', 'payout', [rowOf('a')]);
  machine.remove('mirror');
  expect((await world.type(machine, batches('resume', 'n1'), 1)).exitCode).toBe(0);
  expect(await states('n1')).toEqual(['confirmed']);
});

it('a batch does not go on with the key of another company, although the mirror is lost', async () => {
  world.mean('payout', 'a');
  unanswered();
  await world.batch(machine, 'n1', 'payout', [rowOf('a')]);
  machine.remove('mirror');
  expect((await world.type(machine, batches('resume', 'n1'), 1, 'B')).error?.code).toBe('company_unknown');
  expect(world.service.ledger).toEqual([]);
});

it('a row in doubt whose key has failed elsewhere is paid once by retries, upon the word of a person', async () => {
  world.mean('payout', 'z', 'a');
  await world.batch(machine, 'n0', 'payout', [rowOf('z', { amount: 7 })]);
  unanswered();
  await world.batch(machine, 'n1', 'payout', [rowOf('a')]);
  world.hours(30);
  world.service.outcome = 'failed';
  await world.batch(world.machines[1], 'n2', 'payout', [rowOf('a')]);
  world.service.outcome = null;
  const failed = world.service.ledger.at(-1);
  await world.type(machine, batches('resume', 'n1'), 1);
  expect(await states('n1')).toEqual(['needs_review']);
  const named = ['--reference', 'a', '--operation', failed?.id ?? ''];
  const other = await world.type(machine, batches('resolve', 'n1', ...named), 1);
  expect(other.error?.code).toBe('operation_differs');
  const word = ['--reference', 'a', '--not-paid'];
  expect((await world.type(machine, batches('resolve', 'n1', ...word), 1)).error).toBeNull();
  expect(await states('n1')).toEqual(['failed']);
  expect((await world.type(machine, batches('retry', 'n1'), 1)).exitCode).toBe(3);
  expect((await world.type(machine, batches('retry', 'n1'), 1)).exitCode).toBe(0);
  expect(await states('n1')).toEqual(['confirmed']);
  expect(await verdictOf(world)).toEqual([]);
});

it('an open row with payments from before it and since is left to a person, who names one', async () => {
  world.mean('payout', 'a', 'a');
  unanswered();
  await world.batch(machine, 'n1', 'payout', [rowOf('a')]);
  for (const [hours, words] of [
    [40, []],
    [720, ['--new-since', '2026-09-20T00:00:00Z']],
  ] as const) {
    world.hours(hours);
    await world.batch(world.machines[1], `of ${String(hours)}`, 'payout', [rowOf('a')], hours, [...words]);
  }
  await world.type(machine, batches('resume', 'n1'), 1);
  expect(await states('n1')).toEqual(['needs_review']);
  const named = ['--reference', 'a', '--operation', world.service.ledger[0]?.id ?? ''];
  expect((await world.type(machine, batches('resolve', 'n1', ...named), 1)).error).toBeNull();
  expect(await states('n1')).toEqual(['earlier']);
  expect(await verdictOf(world)).toEqual([]);
});

describe('two open rows with one reference in two batches', () => {
  const LATER_HOURS = 200;

  beforeEach(async () => {
    world.mean('payout', 'z', 'a', 'b');
    await world.batch(machine, 'n0', 'payout', [rowOf('z', { amount: 7 })]);
    world.service.script.push({ fault: 'lost_after', pendingHours: 100 });
    for (let count = 0; count < 2; count += 1)
      world.service.script.push({ fault: 'lost_before', pendingHours: 0 });
    await world.batch(machine, 'n1', 'payout', [rowOf('a'), rowOf('b', { amount: 9, person: 1 })]);
    unanswered();
    await world.batch(machine, 'n2', 'payout', [rowOf('a')], 1, [], 'B');
    world.hours(LATER_HOURS);
  });

  const resume = async (name: string, words: string[] = [], company: 'A' | 'B' = 'A') =>
    (await world.type(machine, batches('resume', name, ...words), 1, company)).error?.code ?? 'ok';

  it('wait for a person and not for each other, where a person said that the company is the same', async () => {
    expect(await resume('n2', ['--same-company', '--yes'])).toBe('needs_review');
    expect(await resume('n1')).toBe('needs_review');
    expect(await states('n1')).toEqual(['needs_review', 'confirmed']);
    const operation = world.service.ledger.find(({ reference }) => reference === 'a');
    const named = ['--reference', 'a', '--operation', operation?.id ?? ''];
    expect((await world.type(machine, batches('resolve', 'n1', ...named), 1)).error).toBeNull();
    expect(await resume('n2')).toBe('references_paid');
    expect(await resume('n2', ['--skip-paid'])).toBe('ok');
    expect(await states('n1')).toEqual(['confirmed', 'confirmed']);
    expect(await states('n2')).toEqual(['earlier']);
    expect(await verdictOf(world)).toEqual([]);
  });

  it('and the one is asked again once the other has ended', async () => {
    expect(await resume('n1')).toBe('needs_review');
    expect(await resume('n1')).toBe('needs_review');
    expect(await resume('n2', [], 'B')).toBe('needs_review');
    await resolveAll(world, machine, 'n2', 'B');
    expect(await states('n2')).toEqual(['failed']);
    expect(await resume('n1')).toBe('ok');
    expect(await states('n1')).toEqual(['confirmed', 'confirmed']);
    expect(await verdictOf(world)).toEqual([]);
  });
});
