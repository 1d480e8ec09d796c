import { SKIPPED_AS_PAID } from '../../../src/storage/batches/row-state.js';
import { Seeded } from '../../support/seeded.js';
import type { History } from './acts.js';
import { batchesOf, requestsOf } from './books.js';
import type { Row } from './catalog.js';
import type { Machine } from './machine.js';
import { Operator } from './operator.js';
import type { Program } from './program.js';
import { resolveAll } from './resolving.js';
import { verdictOf, type Verdict } from './verdict.js';
import type { CompanyName } from './service.js';
import { SimulatedWorld } from './world.js';

export interface Outcome {
  readonly verdicts: readonly Verdict[];
  readonly world: SimulatedWorld;
}

export interface Play {
  readonly looks?: boolean;
  readonly program?: Program;
}

export async function play(
  { seed, setting, acts }: History,
  { looks = true, program }: Play = {},
): Promise<Outcome> {
  const world = new SimulatedWorld(setting, seed, program);
  world.looks = looks;
  try {
    const operator = new Operator(world);
    for (const act of acts) {
      await operator.do(act);
      await world.check();
    }
    await finish(world);
    return { verdicts: await verdictOf(world), world };
  } finally {
    world.end();
  }
}

const ROUNDS = 3;
const QUIET_HOURS = 200;

export async function finish(world: SimulatedWorld): Promise<void> {
  world.say('# the end');
  world.setting = { ...world.setting, faultRate: 0, killRate: 0, pendingHours: [0] };
  world.chance(new Seeded(5));
  world.service.script.length = 0;
  world.hours(QUIET_HOURS);
  for (let round = 0; round < ROUNDS; round += 1) {
    let isOpen = false;
    for (const machine of world.machines) isOpen = (await finishMachine(world, machine)) || isOpen;
    if (!isOpen) break;
    world.hours(1);
  }
  await world.check();
}

const OPEN = ['planned', 'intent', 'unavailable', 'unknown', 'accepted', 'earlier', 'needs_review'];

async function finishMachine(world: SimulatedWorld, machine: Machine): Promise<boolean> {
  let isOpen = false;
  for (const { state, idempotencyKey } of await requestsOf(machine)) {
    if (state !== 'open') continue;
    const repeat = ['requests', 'repeat', '--live', '--json', '--', idempotencyKey];
    const { error } = await world.type(machine, repeat, 0);
    if (error?.code === 'too_old')
      await world.type(machine, ['requests', 'forget', '--json', '--yes', '--', idempotencyKey], 0);
  }
  for (const { batch, rows } of await batchesOf(machine)) {
    const name = batch.name;
    const isLeft = rows.some(
      ({ state, status, code }) =>
        OPEN.includes(state) && !(state === 'earlier' && (status !== 'pending' || code === SKIPPED_AS_PAID)),
    );
    if (!isLeft) continue;
    isOpen = true;
    const intent = world.intents.get(name) ?? 0;
    const resume = ['batches', 'resume', '--live', '--json', '--concurrency', '1', name];
    let company: CompanyName = 'A';
    let { error } = await world.type(machine, resume, intent);
    if (error?.code === 'other_company') {
      company = 'B';
      ({ error } = await world.type(machine, resume, intent, company));
    }
    if (error?.code === 'company_unknown')
      ({ error } = await world.type(machine, [...resume, '--same-company', '--yes'], intent, company));
    if (error?.code === 'references_paid') {
      const { error: still } = await world.type(machine, [...resume, '--skip-paid'], intent, company);
      if (still?.code === 'references_paid') {
        await world.type(machine, ['batches', 'drop', name, '--json'], 0);
        await payRest(world, machine, name, still.message, company);
      }
    }
    await resolveAll(world, machine, name, company);
  }
  return isOpen;
}

async function payRest(
  world: SimulatedWorld,
  machine: Machine,
  name: string,
  message: string,
  company: CompanyName,
): Promise<void> {
  const book = (await batchesOf(machine)).find(({ batch }) => batch.name === name);
  const paid = new Set([...message.matchAll(/^line (\d+): /gm)].map(([, line]) => Number(line)));
  const left = book?.rows.filter(({ state, line }) => state === 'planned' && !paid.has(line)) ?? [];
  if (book === undefined || left.length === 0) return;
  const rows = left.map(({ reference, amount }, person): Row => {
    return { reference, amount: Number(amount), person, account: 'good' };
  });
  const intent = world.intents.get(name) ?? 0;
  await world.batch(machine, `rest of ${name}`, book.batch.direction, rows, intent, [], company);
}
