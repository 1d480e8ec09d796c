import { expect, it } from 'vitest';
import { tableFillerOf } from '../../src/events/into/batch.js';
import { Progress } from '../../src/feed/commit-position.js';
import { START } from '../../src/feed/walk.js';
import { manualClock } from './manual-clock.js';
import { eventJson, page } from './feed.js';
import type { Position } from '../../src/storage/checkpoints/checkpoint.js';

it('commits before the thousandth event where they are large', async () => {
  const written: [count: number, position: Position][] = [];
  const filling = tableFillerOf({
    ...{ position: null, count: 0, newestOperation: null, loss: new AbortController().signal },
    write: (batch, position) => {
      written.push([batch.events.length, position]);
      return Promise.resolve();
    },
  });
  const progress = new Progress({
    ...{ from: START, clock: manualClock(), eventsMax: 1000 },
    commit: (position) => filling.checkpoint.save(position),
    isFull: () => filling.isFull(),
  });
  for (const [at, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    const read = page([eventJson(name, { metadata: 'm'.repeat(2 << 20) })], String(at + 1));
    await filling.sink(read, read.events, (events) => {
      progress.accept(events.map(({ id }) => id));
      return Promise.resolve();
    });
    progress.moveTo(String(at + 1), name);
    await progress.commitIfDue();
  }
  await filling.end();
  expect(written).toEqual([
    [2, { cursor: '2', ids: [], last: 'b' }],
    [2, { cursor: '4', ids: [], last: 'd' }],
  ]);
});
