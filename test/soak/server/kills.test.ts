/**
 * kill -9 of a server at work: what was acknowledged is there, once, with one event, delivered at least once, and the balance
 * is the sum. A few kills in every run; `npm run test:soak` makes a hundred.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recordFigures, under } from '../figures.js';
import type { Variant } from '../../support/variant.js';
import { killAgainAndAgain, POINTS, type Plan, type Report } from './kills.js';
import { buildServer, COMMITS_LATE, RECORDS_FIRST } from './program.js';

const SOAK = process.env['SOAK'] !== undefined;
const KILLS = SOAK ? 100 : 3;
const CONTROL_KILLS = SOAK ? 12 : 1;
const LIMIT_MS = 600_000;

async function run(
  plan: Pick<Plan, 'kills' | 'points' | 'refusedPercent'>,
  variant?: Variant,
): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-soak-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = await buildServer(variant);
  onTestFinished(() => rmSync(program, { force: true }));
  return killAgainAndAgain({
    ...plan,
    program,
    store: join(folder, 'sandbox.db'),
    seed: `${String(plan.kills)} kills`,
  });
}

function record(run: string, report: Report): void {
  const { hits, acknowledged, attempts, lost, doubled, undelivered, invented } = report;
  const counts = {
    kills: POINTS.reduce((sum, point) => sum + hits[point], 0),
    ...under('killed', hits),
    'operations acknowledged': acknowledged,
    'deliveries attempted': attempts,
    'operations lost': lost.length,
    'operations or events doubled': doubled.length,
    'events never delivered': undelivered.length,
    'operations nobody asked for': invented.length,
  };
  recordFigures({ suite: 'Sandbox server, killed', run, counts });
}

describe('kill -9', () => {
  it(
    `${String(KILLS)} times loses nothing and doubles nothing`,
    async () => {
      const report = await run({ kills: KILLS, points: POINTS, refusedPercent: 10 });
      expect(report).toMatchObject({
        lost: [],
        doubled: [],
        undelivered: [],
        invented: [],
        unbalanced: [],
        errors: '',
      });
      for (const point of POINTS)
        expect(report.hits[point]).toBeGreaterThanOrEqual(Math.floor(KILLS / POINTS.length));
      expect(report.acknowledged).toBeGreaterThanOrEqual(KILLS * 20);
      expect(report.attempts).toBeGreaterThan(report.acknowledged);
      record('kills', report);
    },
    LIMIT_MS,
  );
});

describe('the harness sees', () => {
  it(
    'a server that acknowledges before it commits',
    async () => {
      const report = await run(
        { kills: CONTROL_KILLS, points: ['answered'], refusedPercent: 0 },
        COMMITS_LATE,
      );
      expect(report.lost.length).toBeGreaterThan(0);
      record('control: acknowledges before it commits', report);
    },
    LIMIT_MS,
  );

  it(
    'a server that writes deliveries down before it makes them',
    async () => {
      const report = await run(
        { kills: CONTROL_KILLS, points: ['delivering'], refusedPercent: 0 },
        RECORDS_FIRST,
      );
      const { lost, doubled, undelivered, unbalanced } = report;
      expect({ lost, doubled, unbalanced }).toEqual({ lost: [], doubled: [], unbalanced: [] });
      expect(undelivered.length).toBeGreaterThan(0);
      record('control: writes deliveries down first', report);
    },
    LIMIT_MS,
  );
});
