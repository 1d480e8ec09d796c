/** `npm run test:soak` makes 100 kills, and every other run makes a few. */
import { describe, expect, it } from 'vitest';
import { recordFigures, under } from '../figures.js';
import { killServer, POINTS } from './kills.js';
import { COMMITS_LATE, RECORDS_FIRST } from './program.js';

const SOAK = process.env['SOAK'] !== undefined;
const KILLS = SOAK ? 100 : 3;
const CONTROL_KILLS = SOAK ? 12 : 1;
const LIMIT = { timeout: 600_000 };

function record(run: string, report: Awaited<ReturnType<typeof killServer>>): void {
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
  it(`${String(KILLS)} times loses nothing and doubles nothing`, LIMIT, async () => {
    const report = await killServer(KILLS, POINTS, { refusedPercent: 10 });
    const nothing = { lost: [], doubled: [], undelivered: [], invented: [], unbalanced: [] };
    expect(report).toMatchObject({ ...nothing, errors: '' });
    for (const point of POINTS)
      expect(report.hits[point]).toBeGreaterThanOrEqual(Math.floor(KILLS / POINTS.length));
    expect(report.acknowledged).toBeGreaterThanOrEqual(KILLS * 20);
    expect(report.attempts).toBeGreaterThan(report.acknowledged);
    record('kills', report);
  });
});

describe('the harness sees', () => {
  it('a server that acknowledges before it commits', LIMIT, async () => {
    const report = await killServer(CONTROL_KILLS, ['answered'], { variant: COMMITS_LATE });
    expect(report.lost.length).toBeGreaterThan(0);
    record('control: acknowledges before it commits', report);
  });

  it('a server that writes deliveries down before it makes them', LIMIT, async () => {
    const report = await killServer(CONTROL_KILLS, ['delivering'], { variant: RECORDS_FIRST });
    const { lost, doubled, undelivered, unbalanced } = report;
    expect({ lost, doubled, unbalanced }).toEqual({ lost: [], doubled: [], unbalanced: [] });
    expect(undelivered.length).toBeGreaterThan(0);
    record('control: writes deliveries down first', report);
  });
});
