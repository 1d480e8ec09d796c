import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import type { Line, Post } from './line.js';

export const POINTS = [
  'before the journal',
  'recorded, not cleared',
  'cleared, not sent',
  'sent, not carried out',
  'carried out, not answered',
  'half answered',
  'at the second attempt',
  'answered, not shown',
  'shown, not settled',
] as const;
export type Point = (typeof POINTS)[number];

export function isBeforeLeaving(point: Point): boolean {
  return point === 'before the journal' || point === 'recorded, not cleared';
}

export interface Watched {
  readonly pid: number;
  readonly line: Line;
  readonly journal: string;
  readonly batches: string;
  readonly reference: string;
  readonly shown: () => string;
  readonly ended: Promise<unknown>;
}

export function fullStreamAt(point: Point): 'stdout' | 'stderr' | null {
  if (point === 'cleared, not sent') return 'stderr';
  return point === 'answered, not shown' ? 'stdout' : null;
}

export async function reach(point: Point, watched: Watched): Promise<() => void> {
  const { line, journal, batches, reference, shown } = watched;
  const free = (): void => undefined;
  switch (point) {
    case 'before the journal':
      await new Promise<void>((resolve) => (line.onRead = resolve));
      return free;
    case 'recorded, not cleared': {
      const lock = new DatabaseSync(batches);
      lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      await until(watched, () => isInBook(journal, reference, 'IS NULL'));
      return () => lock.close();
    }
    case 'cleared, not sent':
      await until(watched, () => isInBook(journal, reference, 'IS NOT NULL'));
      return free;
    case 'sent, not carried out':
      await nextPost(line);
      return free;
    case 'carried out, not answered':
      await (await nextPost(line)).carryOut();
      return free;
    case 'half answered': {
      const post = await nextPost(line);
      await post.give(await post.carryOut(), 0.5);
      return free;
    }
    case 'at the second attempt': {
      const first = await nextPost(line);
      const second = nextPost(line);
      await first.carryOut();
      first.cut();
      await second;
      return free;
    }
    case 'answered, not shown': {
      const post = await nextPost(line);
      await post.give(await post.carryOut());
      await until(watched, () => isIdle(watched.pid));
      return free;
    }
    case 'shown, not settled': {
      const post = await nextPost(line);
      const lock = new DatabaseSync(journal);
      lock.exec('BEGIN IMMEDIATE');
      await post.give(await post.carryOut());
      await until(watched, () => Promise.resolve(shown().endsWith('}\n')));
      return () => lock.close();
    }
  }
}

function nextPost(line: Line): Promise<Post> {
  return new Promise((resolve) => {
    line.onPost = (post) => {
      line.onPost = null;
      resolve(post);
      return Promise.resolve();
    };
  });
}

async function until({ ended }: Watched, isSo: () => Promise<boolean>): Promise<void> {
  const over = ended.then(() => 'over' as const);
  while (!(await isSo())) {
    if ((await Promise.race([over, setImmediate('still there' as const)])) === 'over') {
      throw new Error('the client ended before it reached the point');
    }
  }
}

function isInBook(journal: string, reference: string, left: 'IS NULL' | 'IS NOT NULL'): Promise<boolean> {
  try {
    const database = new DatabaseSync(journal, { readOnly: true });
    const row = database
      .prepare(`SELECT row FROM requests WHERE instr(body, ?) > 0 AND left_wall_at ${left}`)
      .get(Buffer.from(reference));
    database.close();
    return Promise.resolve(row !== undefined);
  } catch {
    return Promise.resolve(false);
  }
}

/** A process that did nothing for some hundred turns of this event loop waits for its reader. */
async function isIdle(pid: number): Promise<boolean> {
  const before = ticks(pid);
  for (let turn = 0; turn < 100; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (ticks(pid) !== before) return false;
  }
  return true;
}

function ticks(pid: number): string {
  const [, rest = ''] = readFileSync(`/proc/${String(pid)}/stat`, 'utf8').split(') ');
  const fields = rest.split(' ');
  return [...fields.slice(11, 13), readFileSync(`/proc/${String(pid)}/schedstat`, 'utf8')].join(' ');
}
