import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { IntoTables } from '../../support/into-tables.js';
import { environment } from '../../support/program.js';
import { testFolder } from '../../support/test-folder.js';
import { growingFeed } from './feed.js';
import { faultsIn } from './judge.js';

export interface IntoKillPlan {
  readonly program: string;
  readonly tables: (home: string) => IntoTables;
  readonly entries: number;
  readonly kills: number;
  readonly mishaps: readonly (() => Promise<void>)[];
}

/** A fixed walk through all moments of a run, so that a failed run can be repeated. */
const momentOf = (kill: number): number => Math.floor(((kill * 0.618) % 1) * 220);

export async function killWriters(plan: IntoKillPlan) {
  const home = testFolder();
  const feed = await growingFeed(plan.entries);
  const tables = plan.tables(home);
  const start = (words: readonly string[]): ChildProcess =>
    startWriter(plan.program, home, [...words, '--into', tables.into], { ...feed.env, ...tables.env });
  const share = plan.entries / (plan.kills + 1);
  let [kills, mishaps] = [0, 0];
  try {
    for (let kill = 0; kill < plan.kills; kill += 1) {
      const child = start(['--create', '--interval', '100ms']);
      const ended = once(child, 'close');
      const befalls = plan.mishaps[mishaps];
      if (befalls !== undefined && kill >= ((mishaps + 0.5) * plan.kills) / plan.mishaps.length) {
        feed.release(share * (kill + 0.5));
        await untilRead(feed, child);
        await befalls();
        mishaps += 1;
      }
      feed.release(share * (kill + 1));
      await untilRead(feed, child);
      await pause(momentOf(kill));
      if (child.exitCode === null && child.kill('SIGKILL')) kills += 1;
      const [code] = (await ended) as [number | null];
      if (code !== null) throw new Error(`a run ended by itself with ${String(code)}`);
    }
    feed.release(plan.entries);
    const last = start(['--create', '--no-follow']);
    const [exitCode] = (await once(last, 'close')) as [number | null];
    return { ...(await faultsIn(tables, feed.wanted)), kills, mishaps, exitCode };
  } finally {
    await feed.stop();
  }
}

export function startWriter(
  program: string,
  home: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(process.execPath, [program, 'events', 'tail', '--quiet', ...words], {
    env: environment(home, env),
    stdio: ['ignore', 'ignore', process.env['SOAK_DEBUG'] === undefined ? 'ignore' : 'inherit'],
  });
}

export async function untilRead(
  feed: Awaited<ReturnType<typeof growingFeed>>,
  child: ChildProcess,
): Promise<void> {
  const until = feed.asked() + 2;
  while (feed.asked() < until && child.exitCode === null) await pause(5);
}
