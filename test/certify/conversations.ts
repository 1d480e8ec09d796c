import { type Baseline, compareCleanRuns } from '../../src/certify/client/baseline.js';
import { CLIENT_FAULTS, type ClientFault, type Spoiling } from '../../src/certify/client/faults.js';
import type { ClientCase } from '../../src/certify/client/points.js';
import { CLIENT_RULES, judgeRun } from '../../src/certify/client/judge.js';
import { casesOf } from '../../src/certify/client/points.js';
import { isAction, isCreate, isRead } from '../../src/certify/client/run-view.js';
import type { SeenRequest, SeenRun } from '../../src/certify/client/request-seen.js';
import { spoilingOf } from '../../src/certify/client/fault.js';
import { Seeded } from '../support/seeded.js';
import { type Habits, habitsFrom, type Mistake, runOf, type Task } from './commands.js';

export function cleanFor(habits: Habits, seed: number, mistake: Mistake | null = null): Baseline {
  const [first, second] = [1, 2].map((n) => runOf(habits, { random: new Seeded(seed * 7 + n), mistake }));
  const clean = compareCleanRuns(first!, second!);
  if ('notJudged' in clean) throw new Error(`seed ${String(seed)}: ${clean.why} ${JSON.stringify(habits)}`);
  return clean;
}

export function runOfCase(
  habits: Habits,
  clean: Baseline,
  one: ClientCase,
  seed: number,
  mistake: Mistake | null = null,
) {
  return runOf(habits, {
    ...{ caseId: one.id, random: new Seeded(seed * 7 + 3), mistake, isRerun: one.isRerun },
    spoil: (before, request) => spoilingOf(one, clean, before, request),
  });
}

const RUN_AGAIN: readonly Task[] = ['payout', 'collection', 'alike', 'feed'];

export function rightConversation(seed: number) {
  const random = new Seeded(seed);
  const habits = habitsFrom(random);
  const clean = cleanFor(habits, seed);
  const isAlone = habits.resets === 'never' && !habits.hooked;
  const mayRerun = isAlone && habits.tasks.every((task) => RUN_AGAIN.includes(task));
  const cases = casesOf(clean, { points: 2, mayRerun });
  const runs = cases.map((theCase) => runOfCase(habits, clean, theCase, seed));
  const isBlurred = habits.tasks.some((task) => task === 'wrong-code' || task === 'refused');
  const sober = isBlurred ? { ...habits, replacements: 0 } : habits;
  for (let n = 0; n < 4; n += 1) {
    const draw = new Seeded(seed * 11 + n);
    const spoil = (before: readonly SeenRequest[], request: SeenRequest): Spoiling | null =>
      anySpoiling(draw, before, request);
    runs.push(runOf(sober, { caseId: 'any', random: new Seeded(seed * 13 + n), spoil }));
  }
  const broken = runs.flatMap((run) => {
    const where = `${String(seed)} ${run.caseId ?? ''}`;
    return judgeRun(run, clean).map((one) => `${where}: ${one.rule}: ${one.why} ${JSON.stringify(habits)}`);
  });
  return { runs: runs.length, hits: runs.reduce((sum, { hits }) => sum + hits, 0), broken };
}

/** A key that was refused once is refused again. */
function anySpoiling(draw: Seeded, before: readonly SeenRequest[], request: SeenRequest): Spoiling | null {
  const { route, key } = request;
  const isSame = (one: SeenRequest): boolean =>
    one.route === route && one.key === key && one.operation === request.operation;
  const refused = before.find((one) => one.fault?.startsWith('r4') === true && isSame(one));
  if (refused === undefined && !draw.chance(0.3)) return null;
  // Two readers of the same list that meet several faults look like one reader that reads too often.
  if (isRead(route) && !/^operation-[0-9]+$/.test(request.operation ?? '')) return null;
  const is = { create: isCreate(route), action: isAction(route), read: isRead(route) };
  const places: Readonly<Record<string, boolean>> = { ...is, confirm: route === 'payins.confirm' };
  const fits = CLIENT_FAULTS.filter(({ on, id }) => {
    if (refused !== undefined) return id === refused.fault;
    // No service answers 400 to a body that it has carried out.
    if (id === 'r400' && before.some((one) => one.key === key && one.madeId !== null)) return false;
    return on.some((place) => places[place]);
  });
  if (fits.length === 0) return null;
  const { id, outcome, isCarriedOut, holdMs, instead } = draw.pick(fits);
  return { name: id, outcome, isCarriedOut, holdMs, instead };
}

interface Telling {
  readonly fault: ClientFault;
  readonly on: 'payouts.create' | 'payins.confirm' | null;
  readonly attempts: (random: Seeded) => number;
}

const several = (random: Seeded): number => 2 + random.below(4);
const once = (): number => 1;

export const TELLING: Readonly<Record<Mistake, Telling>> = {
  'same-body': { fault: 'lost-after', on: 'payouts.create', attempts: several },
  'same-key': { fault: 'lost-before', on: 'payouts.create', attempts: several },
  'look-first': { fault: 'lost-before', on: 'payins.confirm', attempts: several },
  'paid-once': { fault: 'lost-before', on: 'payouts.create', attempts: several },
  'no-repeat-4xx': { fault: 'r400', on: 'payouts.create', attempts: several },
  'code-once': { fault: 'lost-after', on: 'payins.confirm', attempts: several },
  'says-done': { fault: 'lost-before', on: 'payouts.create', attempts: once },
  'says-done-failed': { fault: 'declined', on: 'payouts.create', attempts: several },
  'same-bytes': { fault: 'lost-after', on: 'payouts.create', attempts: several },
  'retry-after': { fault: 'e503', on: 'payouts.create', attempts: several },
  tolerant: { fault: 'members', on: null, attempts: several },
};

export function mistakenRun(mistake: Mistake, seed: number): { run: SeenRun; clean: Baseline } {
  const random = new Seeded(seed);
  const { fault, on, attempts } = TELLING[mistake];
  const drawn = habitsFrom(random);
  const tasks = drawn.tasks.filter((task): boolean => task !== 'payout' && task !== 'collection');
  tasks.splice(random.below(tasks.length + 1), 0, 'payout', 'collection');
  // A list of events that another lane reads counts as a look, so this mistake has one lane.
  const lanes = mistake === 'look-first' ? 1 : drawn.lanes;
  const own = { tasks, lanes, attempts: attempts(random), isOneBody: false, drawsAmounts: false };
  const habits = { ...drawn, ...own };
  const clean = cleanFor(habits, seed, mistake);
  const place = tasks.indexOf(on === 'payins.confirm' ? 'collection' : 'payout');
  const amount = Buffer.from(`"amount":"${String(20 + place)}.00"`);
  const theCase = casesOf(clean, { points: Infinity, mayRerun: false }).find(({ fault: own, at }) => {
    const body = Buffer.from(clean.payments.get(at?.fingerprint ?? '')?.body ?? []);
    return own === fault && (on === null || (at?.route === on && body.includes(amount)));
  });
  if (theCase === undefined) throw new Error(`seed ${String(seed)}: no case shows ${mistake}`);
  return { run: runOfCase(habits, clean, theCase, seed, mistake), clean };
}

export function mistakeFound(mistake: Mistake, seed: number): string[] {
  const { run, clean } = mistakenRun(mistake, seed);
  const found = judgeRun(run, clean).map(({ rule, isExplained }) => `${isExplained ? 'and so ' : ''}${rule}`);
  const others = CLIENT_RULES.filter(({ id }) => id !== mistake);
  const without = judgeRun(run, clean, others).map(({ rule }) => rule);
  const isMeant = found.join() === mistake && without.length === 0;
  return isMeant ? [] : [`${mistake} ${String(seed)}: found ${found.join()}; without it ${without.join()}`];
}
