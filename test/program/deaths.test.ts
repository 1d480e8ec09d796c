/** One kill of a client, one of a server and one power cut, each beside a program that is broken and has to be seen: `npm run test:soak` makes thousands. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canRecord } from '../../scripts/safety/trace.js';
import { blindly, cut, hasFault, recorded } from '../soak/power/bench.js';
import { killClients } from '../soak/requests/kills.js';
import { NEW_KEY, programOf } from '../soak/requests/program.js';
import { killAgainAndAgain, type Point, type Report } from '../soak/server/kills.js';
import { buildServer, COMMITS_LATE } from '../soak/server/program.js';
import { testFolder } from '../support/test-folder.js';
import type { Variant } from '../support/variant.js';

describe('a client that is killed behind its create', () => {
  it('repeats it, and it exists once', async () => {
    const { hits: _hits, ...report } = await killClients(await programOf(), 1, ['carried out, not answered']);
    expect(report).toEqual({
      ...{ doubled: [], missing: [], untold: [], invented: [], refused: [], unsettled: [] },
      unbalanced: null,
    });
  });

  it('is seen where it repeats with a new key', async () => {
    const report = await killClients(await programOf(NEW_KEY), 1, ['carried out, not answered']);
    expect(report.doubled).toHaveLength(1);
  });
});

describe('a server that is killed when it has answered', () => {
  it('has what it acknowledged, once', async () => {
    expect(await killed('answered')).toMatchObject({
      ...{ lost: [], doubled: [], undelivered: [], invented: [], unbalanced: [], errors: '' },
    });
  });

  it('is seen where it acknowledges before it commits', async () => {
    expect((await killed('answered', COMMITS_LATE)).lost.length).toBeGreaterThan(0);
  });
});

async function killed(point: Point, variant?: Variant): Promise<Report> {
  const program = await buildServer(variant);
  onTestFinished(() => rmSync(program, { force: true }));
  const store = join(testFolder(), 'sandbox.db');
  return killAgainAndAgain({ kills: 1, points: [point], refusedPercent: 0, program, store, seed: point });
}

describe.skipIf(!canRecord())('power that goes during a create', () => {
  const SIZE = { cheap: 100, dear: 2 };

  it('leaves nothing that svc does not recover from', async () => {
    const { counts, findings } = await cut({ scenario: 'create', seed: 7, ...SIZE });
    expect(findings).toEqual([]);
    expect(counts).toMatchObject(SIZE);
  });

  it('is seen where the request is not on the disk before it leaves', () => {
    const size = { cheap: 100, dear: 0 };
    return recorded({ scenario: 'create', seed: 7, ...size }, async (stage, recording) => {
      const ignored = (site: string): boolean => site.startsWith('file requests.db-wal before a sending');
      expect(hasFault(await blindly(stage, recording, size))).toBe(false);
      expect(hasFault(await blindly(stage, recording, size, { ignored }))).toBe(true);
    });
  });
});
