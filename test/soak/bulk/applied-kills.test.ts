import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { canonicalAddress } from '../../../src/contract/access.js';
import { PROGRAM } from '../../support/program.js';
import { planBytes } from '../../support/plans.js';
import { HAS_KEYGEN, people } from '../../support/signers.js';
import { recordFigures, under } from '../figures.js';
import { killBatches, type WordsOf } from './kills.js';
import { ADMITTED, type Point, POINTS } from './points.js';

const SOAK = process.env['SOAK'] !== undefined;
const PLACES: readonly Point[] = [ADMITTED, ...POINTS];
const KILLS = PLACES.length * (SOAK ? 12 : 1);
const LIMIT_MS = 1_200_000;
const signing = people();
afterAll(() => signing.remove());

const moment = (ms: number): string =>
  new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');

const applied: WordsOf = async ({ name, rows, folder, url, sandbox }) => {
  const [first] = await sandbox.operations();
  const bytes = planBytes(rows, {
    ...{ environment: 'sandbox', address: canonicalAddress(`${url}/sandbox`), batch: name },
    company: first === undefined ? null : { letters: null, operation: first.id },
    ...{ made_at: moment(Date.now()), valid_until: moment(Date.now() + 3_600_000) },
    maker: signing.fingerprint('maker'),
  });
  const path = join(folder, `${name}.plan`);
  writeFileSync(path, bytes);
  writeFileSync(`${path}.maker.sig`, signing.sign(bytes, 'maker', 'svc-payroll-plan'));
  for (const key of ['ana', 'bob']) writeFileSync(`${path}.${key}.sig`, signing.sign(bytes, key));
  const signers = join(folder, 'signers');
  writeFileSync(signers, signing.list);
  return ['batches', 'apply', path, '--approvals', '2', '--signers', signers];
};

it.skipIf(!HAS_KEYGEN)(
  `${String(KILLS)} times, at every point: every row of a plan is paid once`,
  async () => {
    const report = await killBatches(PROGRAM, KILLS, 1, PLACES, [], applied);
    const { hits, met, rows, ...faults } = report;
    expect(faults).toEqual({ doubled: [], missing: [], invented: [], unsettled: [], unbalanced: null });
    expect(hits[ADMITTED]).toBe(KILLS / PLACES.length);
    const counts = { kills: KILLS, ...under('killed', hits), rows, ...under('requests met', met) };
    recordFigures({ suite: 'Plans, killed', run: 'seed 1', counts });
  },
  LIMIT_MS,
);
