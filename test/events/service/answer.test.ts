import { expect, it } from 'vitest';
import { answerHealth, type HealthQuestion } from '../../../src/events/service/answer.js';
import { SavedPosition, FollowerState } from '../../../src/events/service/follower-state.js';
import { eventJson, page } from '../../feed/feed.js';
import { testClocks } from './clocks.js';

const clocks = testClocks();

function ask(question: Partial<HealthQuestion>, host = '127.0.0.1', standing = well()) {
  return answerHealth(
    { method: 'GET', target: '/healthz', hosts: ['127.0.0.1:9180'], ...question },
    standing.facts(),
    300_000,
    host,
  );
}

const nothing = (): FollowerState => new FollowerState(clocks, new SavedPosition(clocks));

function well(): FollowerState {
  const place = new SavedPosition(clocks);
  const standing = new FollowerState(clocks, place);
  const one = page([eventJson('e1', { reference: 'a "secret" reference' })], 'c');
  standing.onPage(one);
  standing.onPageTaken();
  standing.onWaiting(one, one.events);
  standing.onAccepted(one.events);
  standing.onAttempt(1, false);
  standing.onAttempt(2, true);
  standing.onPassed({ page: one, isEnd: true });
  place.beginSave()(true);
  return standing;
}

it('is 200 with a small object where all is well, and 503 where it is not', () => {
  const { status, body } = ask({});
  const all = { status: 'ok', lag_seconds: 0, lag_events: 0, max_lag_seconds: 300 };
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({ ...all, why: 'Every known event was accepted in time.' });
  const starting = ask({}, '127.0.0.1', nothing());
  expect([starting.status, JSON.parse(starting.body)]).toMatchObject([503, { status: 'starting' }]);
});

it('has metrics that Prometheus reads, each with its help and type', () => {
  const { status, headers, body } = ask({ target: '/metrics' });
  expect([status, headers['Content-Type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const lines = body.trimEnd().split('\n');
  const samples = lines.filter((line) => !line.startsWith('#'));
  for (const sample of samples) {
    const [, name = ''] = /^(svc_[a-z_]+) -?[0-9.]+$/.exec(sample) ?? [sample];
    expect(lines.filter((line) => line.startsWith(`# HELP ${name} `))).toHaveLength(1);
    const isCounter = lines.includes(`# TYPE ${name} counter`);
    expect(isCounter || lines.includes(`# TYPE ${name} gauge`), sample).toBe(true);
    expect(name.endsWith('_total')).toBe(isCounter);
  }
  expect(samples).toEqual(
    expect.arrayContaining([
      ...['svc_healthy 1', 'svc_events_accepted_total 1', 'svc_attempts_retried_total 1'],
      ...['svc_attempts_refused_total 1', 'svc_lag_seconds 0', 'svc_lag_events 0', 'svc_max_lag_seconds 300'],
      ...[
        'svc_checkpoint_age_seconds 0',
        `svc_last_accepted_timestamp_seconds ${String(clocks.now() / 1000)}`,
      ],
    ]),
  );
  expect(body).not.toMatch(/reference|e1|\{/);
  expect(body.endsWith('\n')).toBe(true);
});

it('leaves out what has no value yet, and says at the start that it is not well', () => {
  const { status, body } = ask({ target: '/metrics' }, '127.0.0.1', nothing());
  expect([status, body]).toEqual([200, expect.stringContaining('svc_healthy 0\n')]);
  expect(body).not.toMatch(/NaN|null|checkpoint|last_accepted/);
});

it.each([
  [{ target: '/' }, 404],
  [{ target: '/healthz/' }, 404],
  [{ target: '/healthz?verbose' }, 200],
  [{ method: 'HEAD' }, 200],
  [{ method: 'POST' }, 405],
  [{ method: 'HEAD', target: '/metrics' }, 200],
])('answers %j with %i', (question, status) => expect(ask(question).status).toBe(status));

it.each([
  [['localhost:9180'], 200],
  [['LOCALHOST'], 200],
  [['[::1]:9180'], 200],
  [['10.1.2.3:9180'], 200],
  [['forwarder:9180'], 200],
  [[], 200],
  [['shop.example'], 400],
  [['127.0.0.1.rebound.example:9180'], 400],
  [['localhost', 'evil.example'], 400],
  [['localhost:9180@evil.example'], 400],
  [[''], 400],
  [[' '], 400],
])('answers who calls it %j with %i: a page of another site gets nothing', (hosts, status) => {
  expect(ask({ hosts }).status).toBe(status);
  expect(ask({ hosts, target: '/metrics' }).status).toBe(status);
});

it('answers the name that it was given', () => {
  expect(ask({ hosts: ['health.shop.example:9180'] }, 'health.shop.example').status).toBe(200);
});
