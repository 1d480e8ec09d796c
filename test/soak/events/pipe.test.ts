import { afterEach, beforeEach, expect, it } from 'vitest';
import { shell } from '../../support/program.js';
import { testFolder } from '../../support/test-folder.js';
import { startFeed, type FeedServer } from './feed-server.js';

let home: string;
let feed: FeedServer;
beforeEach(async () => {
  home = testFolder();
  feed = await startFeed({ events: 600, pageEvents: 20, eventBytes: 1000 });
});
afterEach(() => feed.stop());

const numbersIn = (text: string): number[] =>
  [...text.matchAll(/^\{"id":"e(\d+)"/gm)].map(([, number]) => Number(number));
const TAIL = 'svc events tail --no-follow --quiet';

it('with a checkpoint ends it with 141, and nothing that was not handed over is lost', async () => {
  const first = await shell(`${TAIL} --checkpoint shop | head -1; exit "\${PIPESTATUS[0]}"`, home, {
    env: feed.env,
  });
  expect([first.code, numbersIn(first.stdout)]).toEqual([141, [1]]);
  const second = await shell(`${TAIL} --checkpoint shop`, home, { env: feed.env });
  const rest = numbersIn(second.stdout);
  expect(second.code).toBe(0);
  // The pipe holds 64 KiB, so these events count as handed over even if `head` did not read them.
  expect(rest[0]).toBeLessThanOrEqual(1 + 160);
  expect(rest).toEqual(Array.from({ length: rest.length }, (_, index) => 600 - rest.length + index + 1));
});

it('without one ends it with 0, and without a word', async () => {
  const { code, stderr } = await shell(`${TAIL} | head -1 > /dev/null; exit "\${PIPESTATUS[0]}"`, home, {
    env: feed.env,
  });
  expect([code, stderr]).toEqual([0, '']);
});

it('that is full keeps the checkpoint before what was not written: exit 16', async () => {
  const first = await shell(`${TAIL} --checkpoint shop > /dev/full`, home, { env: feed.env });
  expect(first.code).toBe(16);
  const second = await shell(`${TAIL} --checkpoint shop`, home, { env: feed.env });
  expect(numbersIn(second.stdout)).toHaveLength(600);
});

it('that stops reading does not hold a command that is asked to end', async () => {
  const line = `{ ${TAIL} --checkpoint shop & pid=$!; sleep 1; kill -TERM $pid; wait $pid; echo $? >&2; } | sleep 4`;
  const { stderr } = await shell(line, home, { env: feed.env });
  expect(stderr).toMatch(/^143$/m);
});
