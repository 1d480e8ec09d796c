import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { factsOf, type Recorded, Stage, type Story } from '../../../scripts/safety/cuts.js';
import { type Entry, materialise } from '../../../scripts/safety/disk.js';
import { FAULT_NAMES, FAULTS } from '../../../scripts/safety/faults.js';
import { type Counts, examine, type Finding, nothingCounted } from '../../../scripts/safety/judge.js';
import { PROGRAM } from '../../support/program.js';
import { Seeded } from '../../support/seeded.js';
import { keptFolder } from '../kept.js';

export interface Size {
  readonly cheap: number;
  readonly dear: number;
}

export interface Cut extends Size {
  readonly scenario: string;
  readonly seed: number;
  readonly story?: Story;
  readonly program?: string;
}

export interface Blind {
  readonly ignored: (site: string) => boolean;
  readonly modes?: readonly ('strict' | 'ordered')[];
}

export async function recorded<T>(
  { scenario, seed, story = 'cut', program = PROGRAM }: Cut,
  examined: (stage: Stage, recording: Recorded, folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-power-'));
  try {
    const stage = await Stage.open(scenario, { folder, program, facts: await factsOf(PROGRAM, folder) });
    try {
      const result = await examined(stage, await stage.record(story, randomOf(seed)), folder);
      if (stage.service.unknown.size > 0)
        throw new Error(`not served: ${[...stage.service.unknown].join(', ')}`);
      return result;
    } finally {
      await stage.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function cut(wanted: Cut) {
  return recorded(wanted, async (stage, recording, folder) => {
    const findings: string[] = [];
    const onFinding = (finding: Finding, entries: readonly Entry[]): void => {
      const isNews = findings.length === 0 && wanted.program === undefined;
      const kept = isNews ? keep(wanted, finding, entries, folder) : null;
      const where = `${wanted.scenario} (${wanted.story ?? 'cut'}, seed ${String(wanted.seed)})`;
      findings.push(`${where}, ${said(finding)}, kept: ${String(kept)}`);
    };
    const random = randomOf(wanted.seed + 1);
    const { counts } = await examine(stage, recording, { ...wanted, random, onFinding });
    return { counts, findings };
  });
}

export async function blindly(stage: Stage, recording: Recorded, size: Size, blind: Partial<Blind> = {}) {
  const how = { ...size, ...blind, random: randomOf(1), isFirstEnough: true };
  return (await examine(stage, recording, how)).counts;
}

export async function inLanes<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const lane = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all([lane(), lane()]);
  return results;
}

export function summed(all: readonly Counts[]): Counts {
  const sum = nothingCounted();
  const names = Object.keys(sum) as (keyof Counts)[];
  for (const counts of all) for (const name of names) sum[name] += counts[name];
  return sum;
}

export function hasFault(counts: Counts): boolean {
  return FAULT_NAMES.some((fault) => counts[fault] > 0);
}

export function inWords(counts: Counts): Record<string, number> {
  return Object.fromEntries(FAULT_NAMES.map((fault) => [FAULTS[fault], counts[fault]]));
}

function randomOf(seed: number): () => number {
  const seeded = new Seeded(seed);
  return () => seeded.fraction();
}

function said({ call, mode, kept, faults, notes }: Finding): string {
  return `${faults} at ${call}, ${mode}, ${String(kept)} of what was not synced: ${notes.join(' | ')}`;
}

function keep({ scenario }: Cut, finding: Finding, entries: readonly Entry[], folder: string): string {
  const kept = keptFolder(`power ${scenario}`);
  materialise(entries, join(kept, 'home'));
  writeFileSync(join(kept, 'finding.json'), JSON.stringify(finding, null, 2));
  const log = join(folder, 'strace.log');
  if (existsSync(log)) cpSync(log, join(kept, 'strace.log'));
  return kept;
}
