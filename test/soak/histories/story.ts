import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../../support/postgres.js';
import { keptFolder } from '../kept.js';
import { removeDump, dumpOf, restore, type Dump } from './dump.js';
import { pairsIn, storyOf, type Act, type Step, type StoryPlan } from './generator.js';
import { judge, linesOf, type Findings, type History, SHARED } from './judge.js';
import { World, type PayrollOf, type WorldPlan } from './world.js';
import { createWords } from '../../batches/simulation/catalog.js';
import { LEASE_MS } from '../state/program.js';
import { carryThrough, type } from '../stores/operator.js';
import { parsed } from './recorder.js';

interface Kept {
  hasCopy: boolean;
  readonly dumps: Dump[];
}

const BESIDE = 'a machine beside';
const HOUR_MS = 3_600_000;
const KEY_MEMORY_MS = 25 * HOUR_MS;
const PAST_LEASE_MS = 1.5 * LEASE_MS;
const SHORT_MS = 2000;
const DUMPS_MAX = 6;

const LIVING: Readonly<Record<Act, (world: World, fraction: number, kept: Kept) => Promise<void> | void>> = {
  'everyone killed': async (world, fraction) => {
    const reached = Promise.withResolvers<null>();
    const fate = fraction < 0.5 ? 'never' : 'paid, never answered';
    world.trap = { fate, reached: () => reached.resolve(null) };
    await Promise.race([reached.promise, setTimeout(SHORT_MS)]);
    world.trap = null;
    await Promise.all([...world.alive].map((member) => world.kill(member)));
  },
  'paused past the lease': (world, fraction) => {
    const all = [...world.alive];
    const member = all[Math.floor(fraction * all.length)];
    if (member === undefined) return;
    member.signal('SIGSTOP');
    world.alive.delete(member);
    world.later(PAST_LEASE_MS, async () => {
      member.signal('SIGCONT');
      await member.ended;
    });
  },
  'connections cut': ({ wire }) => wire.endAll(),
  'answers cut': (world) => {
    world.wire.cuts = () => world.random.chance(0.05);
    world.later(SHORT_MS, () => void (world.wire.cuts = () => false));
  },
  'line swallows': (world, fraction) => {
    world.wire.swallows = true;
    world.later(fraction < 0.5 ? SHORT_MS : PAST_LEASE_MS, () => {
      world.wire.swallows = false;
      world.wire.endAll();
    });
  },
  'database crashed': ({ server }) => server.restart('immediate'),
  'database restarted': ({ server }) => server.restart('fast'),
  'replica falls behind': keepCopy,
  'failed over': (world, _fraction, kept) => takeCopy(world, kept, 'promoted'),
  'snapshot put back': (world, _fraction, kept) => takeCopy(world, kept, 'as_it_was'),
  dumped: dump,
  'restored from a dump': async (world, fraction, kept) => {
    if (kept.dumps.length === 0) await dump(world, fraction, kept);
    const one = kept.dumps[Math.floor(fraction * kept.dumps.length)]!;
    await losing(world, () => restore(world, one));
  },
  'single of a row': (world, fraction) => payOne(world, SHARED, fraction),
  'single beside': (world, fraction) => payOne(world, BESIDE, fraction),
  'payroll beside': async (world) => {
    if (world.isBesideBusy) return;
    world.isBesideBusy = true;
    const sent = sendBeside(world, world.payroll).finally(() => (world.isBesideBusy = false));
    if (world.alive.size === 0) await sent;
    else world.later(0, () => sent);
  },
  'file under another name': async (world) => {
    const { name, file } = world.payroll;
    const began = world.recorder.length;
    const words = ['payouts', 'batch', file, '--batch', `${name}-again`, '--json'];
    const { stdout } = await world.start(words, { port: world.wire.port }).ended;
    world.recorder.summary(SHARED, stdout, began);
  },
  'clock apart': ({ aheadsMs }, fraction) => {
    aheadsMs.push(...[6, -6, 3].map((hours) => hours * HOUR_MS * (fraction - 0.5)));
  },
  'keys forgotten': async (world) => {
    for (const name of world.ended) world.forgotten.add(name);
    world.ledger.forget((reference) => world.forgotten.has(reference.slice(0, reference.lastIndexOf('-'))));
    await age(world);
  },
  'service spoils': (world) => {
    world.spoiltIn = 4;
    world.later(SHORT_MS, () => void (world.spoiltIn = 0));
  },
};

async function losing(world: World, lose: () => Promise<void>): Promise<void> {
  world.recorder.forgot();
  await lose();
  world.recorder.forgot();
  await age(world);
}

/** A service forgets a key only after a day. So the rows of these payrolls get times one day older, in a restored database too. */
async function age(world: World): Promise<void> {
  const names = [...world.forgotten].map((name) => `'${name}'`).join();
  if (names === '') return;
  await world.sql(
    `UPDATE svc.rows SET sent_at = sent_at - ${String(KEY_MEMORY_MS)}, left_at = left_at - ${String(KEY_MEMORY_MS)}
     FROM svc.batches WHERE batches.batch = rows.batch AND name IN (${names}) AND sent_at > extract(epoch FROM now()) * 1000 - ${String(KEY_MEMORY_MS / 2)}`,
  );
}

async function keepCopy({ server }: World, _fraction: number, kept: Kept): Promise<void> {
  await server.keepCopy();
  kept.hasCopy = true;
}

async function takeCopy(world: World, kept: Kept, how: 'promoted' | 'as_it_was'): Promise<void> {
  if (!kept.hasCopy) {
    await keepCopy(world, 0, kept);
    await setTimeout(SHORT_MS / 4);
  }
  await losing(world, () => world.server.putBack(how));
  kept.hasCopy = false;
}

async function dump(world: World, fraction: number, { dumps }: Kept): Promise<void> {
  dumps.push(await dumpOf(world));
  if (dumps.length <= DUMPS_MAX) return;
  for (const one of dumps.splice(Math.floor(fraction * DUMPS_MAX), 1)) removeDump(one);
}

async function payOne(world: World, store: string, fraction: number): Promise<void> {
  const { rows } = world.payroll;
  const row = rows[Math.floor(fraction * rows.length)]!;
  const [operator, machine] = await world.operator(store);
  const words = createWords('payout', row).join(' ');
  const { code, stdout } = await type(operator, machine, `svc ${words} --as-live --json`);
  const { id } = parsed(stdout);
  if (code !== 0 || typeof id !== 'string') return;
  const book = `single ${String(world.recorder.length)}`;
  world.recorder.rows(store, book, [{ reference: row.reference, state: 'confirmed', operation: id }]);
}

async function sendBeside(world: World, { name, file }: PayrollOf): Promise<void> {
  const [operator, machine] = await world.operator(BESIDE);
  const said = await carryThrough(operator, machine, `svc payouts batch --batch ${name} --json -- ${file}`);
  if (said !== null) world.recorder.ended(`${name}, ${BESIDE}`, said);
}

export const SUITE = 'Long histories on a shared state';

const TRIES = 20;
const TRY_MS = 100;
const LOOK_EVERY = 3;
const ASK_EVERY = 5;

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

export function keepStory(
  {
    plan,
    history,
    findings,
  }: { readonly plan: StoryPlan & WorldPlan; readonly history: History; readonly findings: Findings },
  folder: string | null,
): string {
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
