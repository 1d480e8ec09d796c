import { describe, expect, it } from 'vitest';
import { canRecord } from '../../scripts/safety/trace.js';
import { blindly, cut, hasFault, recorded } from '../soak/power/bench.js';
import { killClients } from '../soak/requests/kills.js';
import { NEW_KEY, programOf } from '../soak/requests/program.js';
import { killServer } from '../soak/server/kills.js';
import { COMMITS_LATE } from '../soak/server/program.js';

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
    expect(await killServer(1, ['answered'])).toMatchObject({
      ...{ lost: [], doubled: [], undelivered: [], invented: [], unbalanced: [], errors: '' },
    });
  });

  it('is seen where it acknowledges before it commits', async () => {
    const { lost } = await killServer(3, ['answered'], { variant: COMMITS_LATE });
    expect(lost.length).toBeGreaterThan(0);
  });
});

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
