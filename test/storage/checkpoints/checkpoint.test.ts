import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { requireCheckpointName } from '../../../src/storage/checkpoints/checkpoint.js';
import { type CheckpointOptions, openCheckpoint } from '../../../src/storage/checkpoints/file.js';
import { Failure } from '../../../src/runtime/failure.js';
import { testFolder } from '../../support/test-folder.js';

let folder: string;
const HERE = { environment: 'sandbox', address: 'http://localhost:4010/sandbox' } as const;
const MASK = 'svc_test_...1a2b';

beforeEach(() => void (folder = testFolder()));

const options = (more: Partial<CheckpointOptions> = {}): CheckpointOptions => ({
  ...{ ...HERE, folder, name: 'orders', keyMask: MASK },
  ...more,
});
const file = (slot: 'a' | 'b'): string => join(folder, `orders.${slot}.json`);

function failure(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('a checkpoint', () => {
  it('is not there before it is saved, and comes back as it was saved', async () => {
    const checkpoint = openCheckpoint(options());
    expect(checkpoint).toMatchObject({ position: null, notes: [] });
    await checkpoint.save({ cursor: 'c1', ids: ['a', 'é"'] });
    const position = { cursor: 'c1', ids: ['a', 'é"'] };
    expect(openCheckpoint(options())).toMatchObject({ position, notes: [] });
  });

  it('keeps two generations, each private, and the newer one counts', async () => {
    const checkpoint = openCheckpoint(options());
    for (const cursor of ['c1', 'c2', 'c3']) await checkpoint.save({ cursor, ids: [] });
    expect(openCheckpoint(options()).position?.cursor).toBe('c3');
    expect([file('a'), file('b')].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    const saved = [file('a'), file('b')].map((path): unknown => JSON.parse(readFileSync(path, 'utf8')));
    expect(saved).toMatchObject([{ cursor: 'c3' }, { cursor: 'c2' }]);
  });

  it('goes on alternating after it was opened again', async () => {
    for (const cursor of ['c1', 'c2', 'c3', 'c4']) await openCheckpoint(options()).save({ cursor, ids: [] });
    writeFileSync(file('b'), '');
    expect(openCheckpoint(options()).position?.cursor).toBe('c3');
  });

  it('falls back to the one before, cut at any byte or with any byte changed', async () => {
    const checkpoint = openCheckpoint(options());
    await checkpoint.save({ cursor: 'c1', ids: ['a'] });
    await checkpoint.save({ cursor: 'c2', ids: ['b', 'c'] });
    const whole = readFileSync(file('b'));
    for (let at = 0; at < whole.length; at += 1) {
      writeFileSync(file('b'), whole.subarray(0, at));
      expect(openCheckpoint(options()).position, `cut at ${at}`).toEqual({ cursor: 'c1', ids: ['a'] });
      const flipped = Buffer.from(whole);
      flipped[at]! ^= 1;
      writeFileSync(file('b'), flipped);
      expect(openCheckpoint(options()).position, `changed at ${at}`).toEqual({ cursor: 'c1', ids: ['a'] });
    }
    const after = openCheckpoint(options());
    expect(after.notes.join()).toContain('damaged');
    await after.save({ cursor: 'c3', ids: [] });
    expect(openCheckpoint(options())).toMatchObject({ position: { cursor: 'c3' }, notes: [] });
  });

  it('is refused where nothing whole is left: never the start', async () => {
    const checkpoint = openCheckpoint(options());
    await checkpoint.save({ cursor: 'c1', ids: [] });
    writeFileSync(file('a'), '{}\n');
    expect(failure(() => openCheckpoint(options()))).toMatchObject({ kind: 'local_state', exitCode: 16 });
    expect(failure(() => openCheckpoint(options())).message).toContain(`rm ${file('a')}`);
  });

  it.each([
    ['another address', { address: 'https://api.example.com/sandbox' }],
    ['another environment', { environment: 'live' }],
  ] as const)('of %s is refused, and names both', async (_what, other) => {
    await openCheckpoint(options()).save({ cursor: 'c1', ids: [] });
    const refused = failure(() => openCheckpoint(options(other)));
    expect(refused).toMatchObject({ kind: 'unsafe', exitCode: 13 });
    expect(refused.message).toContain(`${HERE.address} (sandbox)`);
  });

  it('of another key is used, and says so', async () => {
    await openCheckpoint(options()).save({ cursor: 'c1', ids: [] });
    const { position, notes } = openCheckpoint(options({ keyMask: 'svc_test_...ffff' }));
    expect(position?.cursor).toBe('c1');
    expect(notes.join()).toContain(MASK);
  });

  it('of a newer version is left alone, whatever the other copy holds', async () => {
    await openCheckpoint(options()).save({ cursor: 'c1', ids: [] });
    const content = { version: 2, sequence: 9, feed: 'another shape' };
    const sum = createHash('sha256').update(JSON.stringify(content)).digest('hex');
    writeFileSync(file('b'), `${JSON.stringify({ ...content, check_sum: sum })}\n`, { mode: 0o600 });
    expect(failure(() => openCheckpoint(options())).message).toContain('newer version');
  });

  it('is not read where others could have changed it, nor through a link', async () => {
    await openCheckpoint(options()).save({ cursor: 'c1', ids: [] });
    chmodSync(file('a'), 0o644);
    expect(failure(() => openCheckpoint(options()))).toMatchObject({ kind: 'local_state' });
    rmSync(file('a'));
    writeFileSync(join(folder, 'elsewhere'), '', { mode: 0o600 });
    symlinkSync(join(folder, 'elsewhere'), file('a'));
    expect(failure(() => openCheckpoint(options())).message).toContain('link');
  });

  it('keeps what it had where it cannot be written', async () => {
    const checkpoint = openCheckpoint(options());
    await checkpoint.save({ cursor: 'c1', ids: [] });
    mkdirSync(file('b'));
    await expect(checkpoint.save({ cursor: 'c2', ids: [] })).rejects.toMatchObject({ exitCode: 16 });
    rmSync(file('b'), { recursive: true });
    expect(openCheckpoint(options()).position?.cursor).toBe('c1');
    await checkpoint.save({ cursor: 'c3', ids: [] });
    expect(openCheckpoint(options()).position?.cursor).toBe('c3');
  });
});

const NAMELESS = ['', '.', '..', '../x', 'a/b', '-x', '.hidden', 'a b', 'é', 'x'.repeat(65)];
it.each(NAMELESS)('%j names no checkpoint', (name) => {
  expect(failure(() => requireCheckpointName(name))).toMatchObject({ kind: 'usage' });
});

it.each(['orders', 'Orders-2.1_b', 'x'.repeat(64)])('%j names one', (name) => {
  expect(requireCheckpointName(name)).toBe(name);
});
