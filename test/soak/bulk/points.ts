import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { Line, Post } from '../requests/line.js';
import type { Seeded } from '../../support/seeded.js';

export const POINTS = [
  'before the plan',
  'sent, not carried out',
  'carried out, not answered',
  'half answered',
  'answered, not recorded',
  'at some moment',
] as const;
export const ADMITTED = 'admitted, nothing carried out';
export type Point = (typeof POINTS)[number] | typeof ADMITTED;

const LOOK_MS = 1;

export async function reachAdmitted(line: Line, store: string): Promise<void> {
  line.onPost = () => new Promise<void>(() => undefined);
  const isWaited = (): boolean => line.onPost !== null;
  while (isWaited() && !isAdmitted(store)) await setTimeout(LOOK_MS);
}

function isAdmitted(store: string): boolean {
  if (!existsSync(store)) return false;
  try {
    const db = new DatabaseSync(store, { readOnly: true });
    try {
      return db.prepare('SELECT 1 FROM batches WHERE ready = 1').get() !== undefined;
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}

export function reach(point: Point, line: Line, bad: BadLine, random: Seeded, skip: number): Promise<void> {
  return new Promise((resolve) => {
    if (point === 'before the plan') line.onRead = resolve;
    let passed = 0;
    line.onPost = async (post) => {
      passed += 1;
      if (passed !== skip + 1 || point === 'before the plan') return bad.meet(post);
      if (point === 'carried out, not answered') await post.carryOut();
      if (point === 'half answered') await post.give(await post.carryOut(), 0.5);
      if (point === 'answered, not recorded') await post.give(await post.carryOut());
      if (point === 'at some moment') {
        void bad.meet(post);
        await setTimeout(random.below(60));
      }
      resolve();
    };
  });
}

const BUSY = { headers: { 'content-type': 'application/json', 'retry-after': '0' } };
const envelope = (code: string): Buffer => Buffer.from(JSON.stringify({ error: { code, message: code } }));

export const FAULTS = ['drop-before', 'drop-after', '503', '429', 'garbage'] as const;
export type Fault = (typeof FAULTS)[number];

const GOOD_PER_FAULT = 4;

/**
 * Faults are dealt from a shuffled deck that contains every fault once, so a line with enough posts meets
 * every fault with any seed.
 */
export class BadLine {
  readonly #deck: (Fault | null)[] = [];
  readonly met = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;

  constructor(private readonly random: Seeded) {}

  async meet(post: Post): Promise<void> {
    const fault = this.#deal();
    if (fault === null) return post.give(await post.carryOut());
    this.met[fault] += 1;
    if (fault === 'drop-before') {
      post.cut();
      return;
    }
    if (fault === '503')
      return post.give({ ...BUSY, status: 503, body: envelope('temporarily_unavailable') });
    if (fault === '429') return post.give({ ...BUSY, status: 429, body: envelope('rate_limited') });
    const answer = await post.carryOut();
    if (fault === 'drop-after') post.cut();
    else await post.give({ ...answer, headers: {}, body: Buffer.from('<html>') });
  }

  #deal(): Fault | null {
    if (this.#deck.length === 0) {
      const good = Array.from({ length: FAULTS.length * GOOD_PER_FAULT }, () => null);
      this.#deck.push(...FAULTS, ...good);
    }
    return this.#deck.splice(this.random.below(this.#deck.length), 1)[0] ?? null;
  }
}
