/** Where in the life of a batch its process is killed, reached from outside: by what the line between it and the service sees. */
import { setTimeout } from 'node:timers/promises';
import type { Line, Post } from '../requests/line.js';
import type { Seeded } from '../../bulk/simulation/random.js';

export const POINTS = [
  'before the plan',
  'sent, not carried out',
  'carried out, not answered',
  'half answered',
  'answered, not recorded',
  'at some moment',
] as const;
export type Point = (typeof POINTS)[number];

/** Resolves when the process is at the point; posts before it meet their own fate. @param skip how many posts pass first */
export function reach(point: Point, line: Line, random: Seeded, skip: number): Promise<void> {
  return new Promise((resolve) => {
    if (point === 'before the plan') line.onRead = resolve;
    let passed = 0;
    line.onPost = async (post) => {
      passed += 1;
      if (passed !== skip + 1 || point === 'before the plan') return meetFate(post, random, 0.2);
      if (point === 'carried out, not answered') await post.carryOut();
      if (point === 'half answered') await post.give(await post.carryOut(), 0.5);
      if (point === 'answered, not recorded') await post.give(await post.carryOut());
      if (point === 'at some moment') {
        void meetFate(post, random, 0.2);
        await setTimeout(random.below(60));
      }
      resolve();
    };
  });
}

const BUSY = { headers: { 'content-type': 'application/json', 'retry-after': '0' } };
const envelope = (code: string): Buffer => Buffer.from(JSON.stringify({ error: { code, message: code } }));

/** What a bad line does to a post. @param faultRate how many in one meet something bad */
export async function meetFate(post: Post, random: Seeded, faultRate: number): Promise<void> {
  const fate = random.chance(faultRate) ? random.below(5) : -1;
  if (fate === 0) post.cut();
  else if (fate === 1) await post.carryOut().then(() => post.cut());
  else if (fate === 2) await post.give({ ...BUSY, status: 503, body: envelope('temporarily_unavailable') });
  else if (fate === 3) await post.give({ ...BUSY, status: 429, body: envelope('rate_limited') });
  else if (fate === 4)
    await post
      .carryOut()
      .then((answer) => post.give({ ...answer, headers: {}, body: Buffer.from('<html>') }));
  else await post.give(await post.carryOut());
}
