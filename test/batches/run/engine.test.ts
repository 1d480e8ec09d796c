import { describe, expect, it } from 'vitest';
import type { RowAges, RunOptions } from '../../../src/batches/run/engine.js';
import type { BatchStore } from '../../../src/storage/batches/batch-store.js';
import type { ClaimedRow } from '../../../src/storage/batches/row.js';
import { openBatchStore } from '../../../src/storage/batches/sqlite-store.js';
import { markHolder } from '../../../src/client/client.js';
import type { Attempt } from '../../../src/contract/attempt.js';
import { DatabaseUnusable } from '../../../src/runtime/database-unusable.js';
import { httpDate } from '../../../src/runtime/clock.js';
import { ServiceClock } from '../../../src/client/service-clock.js';
import { fakeClock, type FakeClock } from '../../support/fake-clock.js';
import { made, strange } from '../../storage/batches/attempts.js';
import { FACTS, planned, plannedRow } from '../../storage/batches/given.js';
import { statesOf } from '../../storage/batches/opening.js';
import { send } from './lent.js';

const ROWS = Array.from({ length: 40 }, (_, number) => plannedRow(number, 100n));
type Answering = (row: ClaimedRow) => Promise<Attempt>;

const confirmed: Answering = ({ key }) => Promise.resolve(made('confirmed', { id: key }));

async function run(
  store: BatchStore,
  attempt: Answering,
  exchange?: BatchStore['exchange'],
  signal = new AbortController().signal,
  { ratePerSecond = null, onRow = () => undefined }: Partial<RunOptions> = {},
) {
  const batch = await planned(store, ROWS);
  const used = exchange === undefined ? store : { ...store, exchange };
  const end = send(batch, { store: used, attempt }, { ratePerSecond, signal, onRow });
  const [settled] = await Promise.allSettled([end]);
  return { settled, states: await statesOf(store, batch) };
}

it('records what the other rows came to where a defect breaks one', async () => {
  const { settled, states } = await run(openBatchStore(':memory:'), (row) =>
    row.number === 6 ? Promise.reject(new TypeError('a defect')) : confirmed(row),
  );
  expect(settled).toMatchObject({ status: 'rejected', reason: new TypeError('a defect') });
  expect(states.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => 'confirmed'));
  expect(states[6]).toBe('intent');
  expect(states.slice(12)).not.toContain('intent');
});

it('says that the store failed even where it failed while the run was ending', async () => {
  const store = openBatchStore(':memory:');
  const stopping = new AbortController();
  let exchanges = 0;
  const exchange: BatchStore['exchange'] = (batch, results, claim) => {
    exchanges += 1;
    if (exchanges === 1) return store.exchange(batch, results, claim);
    stopping.abort(new Error('stopped'));
    return Promise.reject(new DatabaseUnusable('full', { name: 'store of batches' }, 'batches.db'));
  };
  const { settled } = await run(store, confirmed, exchange, stopping.signal);
  expect(settled).toMatchObject({ status: 'rejected', reason: { exitCode: 16 } });
});

it('tells of no row that a stop put back: nothing became of it', async () => {
  const stopping = new AbortController();
  const sent: number[] = [];
  const told: number[] = [];
  const attempt: Answering = (row) => {
    sent.push(row.number);
    if (sent.length === 2) stopping.abort(new Error('stopped'));
    return confirmed(row);
  };
  const { states } = await run(openBatchStore(':memory:'), attempt, undefined, stopping.signal, {
    ratePerSecond: 1,
    onRow: ({ number }) => told.push(number),
  });
  expect(told.toSorted((a, b) => a - b)).toEqual(sent.toSorted((a, b) => a - b));
  expect(states.filter((state) => state === 'confirmed')).toHaveLength(sent.length);
  expect(states.filter((state) => state === 'planned')).toHaveLength(ROWS.length - sent.length);
});

describe('a run stops', () => {
  const stopOf = async (attempt: (key: string, sent: number) => Attempt) => {
    let sent = 0;
    const answer: Answering = ({ key }) => Promise.resolve(attempt(key, (sent += 1)));
    const { settled } = await run(openBatchStore(':memory:'), answer);
    return { stop: settled.status === 'fulfilled' ? settled.value : (settled.reason as unknown), sent };
  };
  const OLD = '2020-01-01T00:00:00Z';

  it('after five rows in a row that were answered with older payments, whoever made them', async () => {
    const { stop, sent } = await stopOf((key) => made('confirmed', { id: key, created_at: OLD }));
    expect(stop).toEqual({ kind: 'older' });
    expect(sent).toBeLessThan(10);
  });

  it('and not after five older payments among others', async () => {
    const { stop } = await stopOf((key, sent) =>
      made('confirmed', { id: key, created_at: sent % 5 === 0 ? undefined : OLD }),
    );
    expect(stop).toBeNull();
  });

  it('after five equal answers that the contract does not know: the address may be wrong', async () => {
    const { stop, sent } = await stopOf(() => strange);
    expect(stop).toEqual({ kind: 'refusals', code: 'route_not_found', detail: 'HTTP 404' });
    expect(sent).toBeLessThan(10);
  });
});

describe('a row that is answered with an operation that something else holds', () => {
  const taken = made('confirmed', { id: 'taken' });
  const doubting = async (row: number, stops: boolean, times = 1) => {
    const store = openBatchStore(':memory:');
    const batch = await planned(store, ROWS);
    const stopping = new AbortController();
    const [sent, recorded]: [number[], string[]] = [[], []];
    const exchange: BatchStore['exchange'] = (id, results, claim) => {
      recorded.push(...results.filter(({ number }) => number === row).map(({ state }) => state));
      return store.exchange(id, results, claim);
    };
    const world: Parameters<typeof send>[1] = {
      store: { ...store, exchange },
      attempt: async (one) => {
        if (one.number === row) sent.push(row);
        if (one.number !== row || sent.length > times) return confirmed(one);
        if (stops) stopping.abort(new Error('stopped'));
        return Promise.resolve(taken);
      },
      holders: {
        findHeldRows: (answered) =>
          Promise.resolve(answered.filter((one) => one.operation.id === 'taken').map((one) => one.row)),
        judgeAnswer: (_row, answer) =>
          markHolder(answer, ({ id }) => Promise.resolve(id === 'taken' ? 'other' : null)),
      },
    };
    await send(batch, world, { signal: stopping.signal });
    const [{ state, operation, key } = {}] = await store.rows(batch.id, row - 1, 1);
    return { times: sent.length, recorded, state, isOwn: operation === key };
  };

  it.each([0, 20, ROWS.length - 1])('is asked again with its key, never recorded: row %i', async (row) => {
    const end = { times: 2, recorded: ['confirmed'], state: 'confirmed', isOwn: true };
    expect(await doubting(row, false)).toEqual(end);
  });

  it('is open where every answer is that one', async () => {
    const open = { times: 3, recorded: ['unknown'], state: 'unknown', isOwn: false };
    expect(await doubting(20, false, Infinity)).toEqual(open);
  });

  it('is open where the run stops meanwhile', async () => {
    const end = { times: 1, recorded: ['unknown'], state: 'unknown', isOwn: false };
    expect(await doubting(20, true)).toEqual(end);
  });
});

describe('a row that an earlier run has sent and nobody answered', () => {
  const HOUR_MS = 3_600_000;
  type Between = (clock: FakeClock, service: FakeClock) => void;
  const both: (hours: number) => Between = (hours) => (clock, service) => {
    for (const one of [clock, service]) one.advance(hours * HOUR_MS);
  };
  const after = async (betweens: readonly Between[], says: readonly boolean[] = []) => {
    const store = openBatchStore(':memory:');
    const batch = await planned(store, ROWS.slice(0, 1));
    const clock = fakeClock(FACTS.createdAtMs);
    const service = fakeClock(FACTS.createdAtMs);
    let sendings = 0;
    const once = async (saysTime: boolean, answering: Answering): Promise<void> => {
      const time = new ServiceClock({ clock });
      if (saysTime) time.hear({ headers: [['date', httpDate(service.now())]] }, true);
      const ages: RowAges = {
        moment: () => time.moment(),
        ageOf: (left) => time.ageOf(left),
        mayResend: (left) => time.maySendAgain(left),
      };
      const attempt: Answering = (row) => {
        sendings += 1;
        return answering(row);
      };
      await send(batch, { store, clock: time, ages, attempt }, { concurrency: 1 });
    };
    for (const [at, between] of betweens.entries()) {
      await once(says[at] ?? true, () => Promise.resolve(strange));
      between(clock, service);
    }
    await once(says[betweens.length] ?? true, confirmed);
    const [row] = await store.rows(batch.id, -1, 1);
    return { sendings, ...row! };
  };

  it('leaves again within 23 hours', async () => {
    expect(await after([both(1)])).toMatchObject({ sendings: 2, state: 'confirmed' });
  });

  it('does not leave 30 hours after it first left, however often it was taken since', async () => {
    const end = { sendings: 2, state: 'needs_review', code: 'too_old', sentAtMs: FACTS.createdAtMs };
    expect(await after([both(20), both(10)])).toMatchObject(end);
  });

  const dozed = (clock: FakeClock): void => {
    clock.doze(24 * HOUR_MS);
    clock.setWall(-24 * HOUR_MS);
  };
  it.each<[string, Between]>([
    ['by the service, as the machine has slept', (_clock, service) => service.advance(24 * HOUR_MS)],
    ['by the machine, where the service seems to stand still', (clock) => clock.advance(24 * HOUR_MS)],
    ['by what the machine has counted since its boot', dozed],
  ])('never leaves again where it is a day old %s', async (_name, between) => {
    expect(await after([between])).toMatchObject({ sendings: 1, state: 'needs_review', code: 'too_old' });
  });

  it('does not leave where a clock went back, and says what both say', async () => {
    const back: Between = (clock, service) => {
      both(1)(clock, service);
      clock.setWall(-3 * HOUR_MS);
    };
    const end = await after([back]);
    expect(end).toMatchObject({ sendings: 1, state: 'needs_review', code: 'clocks_disagree' });
    const said = ': the clock of this machine was \\S+Z then and is \\S+Z now, and the service.s time was ';
    expect(end.detail).toMatch(new RegExp(`^The clocks disagree .*${said}`));
  });

  it.each([
    ['when it left', [false, true]],
    ['now', [true, false]],
  ])('does not leave where the service did not say what time it was %s', async (_name, says) => {
    const end = await after([() => undefined], says);
    expect(end).toMatchObject({ sendings: 1, state: 'needs_review', code: 'time_unknown' });
  });
});
