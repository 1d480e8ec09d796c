import { spawn } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { postgresTables } from '../../support/into-tables.js';
import { startPostgres } from '../../support/postgres.js';
import { endOf, environment } from '../../support/program.js';
import { testFolder } from '../../support/test-folder.js';
import { pooler, smallDisk } from '../state/places.js';
import { growingFeed } from './feed.js';
import { faultsIn, NO_FAULTS } from './judge.js';
import { killWriters } from './kills.js';
import { intoProgram } from './program.js';

const server = await startPostgres();
const pooled = server === null ? null : await pooler(server);
afterAll(() => pooled?.end());

describe.skipIf(server === null)('tables of PostgreSQL', () => {
  it.skipIf(pooled === null)(
    'behind a pooler of transactions are the feed, after kills and a restart',
    async () => {
      const plan = { kills: 4, entries: 800, mishaps: [() => server!.restart('fast')] };
      const tables = () => postgresTables(server!, pooled!.port);
      const report = await killWriters({ ...plan, tables, program: await intoProgram() });
      expect(report).toMatchObject({ ...NO_FAULTS, exitCode: 0 });
    },
    120_000,
  );

  it('on a disk that is full end the run with 16, and are gone on with once there is room', async () => {
    const disk = await smallDisk(server!, 12);
    if (disk === null) return;
    const home = testFolder();
    const feed = await growingFeed(3000);
    try {
      const tables = postgresTables(server!);
      const run = async (words: string): Promise<[number | null, string]> => {
        const args = [await intoProgram(), 'events', 'tail', ...words.split(' '), '--into', tables.into];
        const child = spawn(process.execPath, args, {
          env: environment(home, { ...feed.env, ...tables.env }),
        });
        const { code, stderr } = await endOf(child);
        return [code, stderr];
      };
      feed.release(500);
      expect(await run('--create --no-follow')).toEqual([0, expect.any(String)]);
      disk.fill();
      feed.release(3000);
      const [code, said] = await run('--no-follow');
      expect(code, said).toBe(16);
      expect(said).toContain('its disk is full');
      disk.clear();
      expect(await run('--no-follow')).toEqual([0, expect.any(String)]);
      expect(await faultsIn(tables, feed.wanted)).toEqual(NO_FAULTS);
    } finally {
      await feed.stop();
      await disk.end();
    }
  }, 120_000);
});
