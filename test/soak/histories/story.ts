/** Lives a story through on one database that never begins anew, and hands its history to the judge. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../../support/postgres.js';
import { keptFolder } from '../kept.js';
import { LIVING, type Kept } from './acts.js';
import { removeDump } from './dump.js';
import { pairsIn, storyOf, type Act, type Step, type StoryPlan } from './generator.js';
import { judge, linesOf, type Findings, type History } from './judge.js';
import { World, type PayrollOf, type WorldPlan } from './world.js';

/** The heading of what is counted here. */
export const SUITE = 'Long histories on a shared state';

export type Lived = Awaited<ReturnType<typeof live>>;

/** How long somebody who is killed may be looked for. */
const TRIES = 20;
const TRY_MS = 100;
/** How many steps pass between two looks at the rows, and between two questions how it stands. */
const LOOK_EVERY = 3;
const ASK_EVERY = 5;

/**
 * Lives a story through. It is kept as soon as something is found, or breaks off: what is done at the same moment is chance, and its seed may show nothing.
 * @param onPayroll told of each that has ended, for a run of hours; false ends the story there
 */
export async function live(
  server: PostgresServer,
  plan: StoryPlan & WorldPlan,
  onPayroll: (ended: number, findings: Findings) => boolean = () => true,
) {
  const world = await World.of(server, plan);
  const kept: Kept = { hasCopy: false, dumps: [] };
  const story = storyOf(plan);
  const acts: Act[] = [];
  const payrolls: PayrollOf[] = [];
  let folder: string | null = null;
  const take = async (step: Step): Promise<void> => {
    if (step.kind === 'kill') return killOne(world, step);
    world.recorder.befell(step.act);
    acts.push(step.act);
    await LIVING[step.act](world, step.fraction, kept);
  };
  try {
    for (const [number, { before, during, after }] of story.entries()) {
      const payroll = world.payrollOf(number + 1);
      payrolls.push(payroll);
      world.payroll = payroll;
      world.allow(1);
      for (const step of before) await take(step);
      for (const [at, step] of during.entries()) {
        world.allow((at + 1) / (during.length + 1));
        await world.fill();
        await take(step);
        if (at % LOOK_EVERY === 0) await world.look(payroll);
        if (at % ASK_EVERY === ASK_EVERY - 1) await world.ask(payroll);
      }
      await world.calm();
      await world.finish(payroll);
      for (const step of after) await take(step);
      await world.calm();
      await finishAgain(world, payrolls);
      const findings = judge(world.recorder.history, world.asked);
      if (linesOf(findings).length > 0)
        folder = keepStory({ plan, history: world.recorder.history, findings }, folder);
      if (!onPayroll(number + 1, findings)) break;
    }
    const { history } = world.recorder;
    return {
      ...{ history, findings: judge(history, world.asked), kills: world.kills, rows: world.asked.length },
      ...{ payrolls: payrolls.length, acts: countsOf(acts), pairs: pairsIn(acts), kept: folder },
    };
  } catch (error) {
    const { history } = world.recorder;
    keepStory({ plan, history, findings: judge(history, world.asked) }, folder);
    throw error;
  } finally {
    await world.close();
    for (const one of kept.dumps) removeDump(one);
  }
}

interface FoundStory {
  readonly plan: StoryPlan & WorldPlan;
  readonly history: History;
  readonly findings: Findings;
}

/**
 * Writes a story down, with its seed, and says where.
 * @param folder where it was written before; null for a new one
 * @returns the folder, which stays
 */
export function keepStory({ plan, history, findings }: FoundStory, folder: string | null): string {
  const kept = folder ?? keptFolder('story');
  writeFileSync(join(kept, 'plan.json'), `${JSON.stringify(plan, null, 2)}\n`);
  writeFileSync(join(kept, 'history.ndjson'), history.map((one) => `${JSON.stringify(one)}\n`).join(''));
  writeFileSync(join(kept, 'findings.txt'), `${linesOf(findings).join('\n')}\n`);
  if (folder === null) process.stderr.write(`The story of seed ${String(plan.seed)} is kept: ${kept}\n`);
  return kept;
}

async function killOne(
  world: World,
  { waitMs, fraction }: Extract<Step, { readonly kind: 'kill' }>,
): Promise<void> {
  const { kills } = world;
  await setTimeout(waitMs);
  for (let count = 0; count < TRIES && world.kills === kills; count += 1) {
    const all = [...world.alive];
    const member = all[Math.floor(fraction * all.length)];
    if (member !== undefined) await world.kill(member);
    else await setTimeout(TRY_MS);
    await world.fill();
  }
}

/** Whoever has a payroll that a restored database takes for open sends it to its end again. */
async function finishAgain(world: World, payrolls: readonly PayrollOf[]): Promise<void> {
  for (const payroll of payrolls) {
    const standing = await world.standing(payroll.name);
    if (standing === 'open') await world.finish(payroll);
    else if (standing === 'settled') await world.look(payroll);
  }
}

function countsOf(acts: readonly Act[]): Partial<Record<Act, number>> {
  const counts: Partial<Record<Act, number>> = {};
  for (const act of acts) counts[act] = (counts[act] ?? 0) + 1;
  return counts;
}
