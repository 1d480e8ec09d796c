import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { metricsText } from '../../src/events/service/answer.js';
import { SavedPosition, FollowerState } from '../../src/events/service/follower-state.js';
import { eventJson, page, pageBody } from '../feed/feed.js';
import { testClocks } from '../events/service/clocks.js';
import { ROOT } from '../house/source.js';
import { payout } from '../support/requests.js';
import { pageOf, blockOf, blocksOf, linesOf, machine } from '../support/readme.js';
import { freePort } from '../support/serving.js';
import { startService } from '../support/service.js';

const PAGE = pageOf('docs/receive-events.md');
const [, SECTION = ''] = /^## Run it as a service\n([^]*?)^## /m.exec(PAGE) ?? [];

const BOOKS = pageOf('docs/books.md');
const [, ALIVE = ''] = /^## 5\. Is the forwarder alive\?\n([^]*)/m.exec(BOOKS) ?? [];

const PAYOUT = `svc ${payout().join(' ')}`;

const block = (name: string): string => blockOf(SECTION, name);

function verified(path: string): string | null {
  const { error, stderr } = spawnSync('systemd-analyze', ['verify', path], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return error === undefined ? stderr : null;
}

function metricNames(): string[] {
  const clocks = testClocks();
  const place = new SavedPosition(clocks);
  const standing = new FollowerState(clocks, place);
  const one = page([eventJson('e1')], 'c');
  standing.onPage(one);
  standing.onPageTaken();
  standing.onWaiting(one, one.events);
  standing.onAccepted(one.events);
  place.beginSave()(true);
  const text = metricsText(standing.facts(), { health: 'ok', why: '' }, 1000);
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}

it('names every metric, and no other', () => {
  const named = new Set([...SECTION.matchAll(/\bsvc_[a-z_]+\b/g)].map(([name]) => name));
  expect([...named].sort()).toEqual(metricNames().sort());
});

it.each([
  ['docs/receive-events.md', SECTION],
  ['docs/books.md', ALIVE],
])('names every status that /healthz can have: %s', (_path, text) => {
  const source = readFileSync(join(ROOT, 'src/events/service/follower-state.ts'), 'utf8');
  const [, kinds = ''] = /^export type Health =([^;]*);/m.exec(source) ?? [];
  const rows = [...text.matchAll(/^\| `([a-z_]+)`/gm)].map(([, name = '']) => name);
  expect(rows.filter((name) => name !== 'status').sort()).toEqual(
    [...kinds.matchAll(/'([a-z_]+)'/g)].map(([, name = '']) => name).sort(),
  );
});

it('has rules that are rules', () => {
  const { groups } = parse(block('svc-alerts.yml')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  expect(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))).toEqual([
    'EventsNotDelivered',
    'EventsRefused',
  ]);
});

it('a forwarder answers how it is, as it is printed there', async () => {
  const receiver = await startService((_received, response) => response.writeHead(204).end());
  const at = machine();
  const port = String(await freePort());
  const script = block('health')
    .replaceAll('http://localhost:3000', receiver.url)
    .replaceAll('9180', port)
    // The server needs a moment to start.
    .replaceAll('curl -fsS', 'curl -fsS --retry 60 --retry-all-errors --retry-delay 1');
  const { code, stdout, stderr } = await at.paste(
    `set -e\n${script}kill -TERM $!; wait $! || echo "ended $?"`,
  );
  expect(code, stderr).toBe(0);
  const [health = '', ...metrics] = stdout.split('\n');
  expect(JSON.parse(health)).toMatchObject({ status: 'ok' });
  expect(metrics).toContain('svc_healthy 1');
  expect(metrics).toContain('ended 143');
  const log = stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(log.map((line) => (JSON.parse(line) as { level: string }).level)).toContain('info');
});

it('every morning: a receiver that is down is seen, in the form that is printed there', async () => {
  const at = machine();
  const port = String(await freePort());
  const [line = ''] = linesOf(blocksOf('sh', ALIVE)[0] ?? '');
  const asks = line.replace('9180', port);
  const begun = `svc events forward --to http://localhost:${String(await freePort())}/ --health ${port} --max-lag 3s 2> log &
    until ${asks} | grep not_accepted; do sleep 0.2; done; kill -TERM $!`;
  await at.paste(PAYOUT);
  const { stdout } = await at.paste(begun);
  const [shown = ''] = blocksOf('json', ALIVE);
  const answer = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
  expect(Object.keys(answer)).toEqual(Object.keys(JSON.parse(shown) as object));
  const inGeneral = (why: unknown): string =>
    String(why)
      .replace(/[0-9a-f-]{36}/, 'ID')
      .replace(/\d+ (s|min)/, 'TIME');
  expect(inGeneral(answer['why'])).toBe(inGeneral((JSON.parse(shown) as { why: string }).why));
});

it('the unit is one that systemd takes, and what it starts hands the events over', async () => {
  const unit = block('svc-orders.service');
  const at = machine();
  at.put('svc-orders.service', unit.replace('/usr/bin/svc', '/bin/true'));
  expect(verified(join(at.home, 'svc-orders.service')) ?? '').toBe('');
  at.put('wrong.service', unit.replace('/usr/bin/svc', '/bin/true').replace('DynamicUser', 'DynamicUsr'));
  expect(verified(join(at.home, 'wrong.service')) ?? 'Unknown key').toContain('Unknown key');

  const service = await startService(({ target }, response) => {
    const isFirst = !target.includes('cursor=');
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(pageBody(isFirst ? [eventJson('e1')] : [], '1'));
  });
  at.put('handle-event', '#!/bin/sh\ncat > event; mv event got\n', 0o755);
  at.put('bin/sudo', '#!/bin/sh\nexec "$@"\n', 0o755);
  at.put('bin/systemctl', '#!/bin/sh\n', 0o755);
  mkdirSync(join(at.home, 'S/svc-orders'), { recursive: true, mode: 0o700 });
  const here = (text: string): string =>
    text
      .replaceAll('%d/key', join(at.home, 'orders.key'))
      .replaceAll('%S', join(at.home, 'S'))
      .replace('/usr/bin/svc', 'svc')
      .replace('https://api.example.com', service.url)
      .replace('/usr/local/bin/handle-event', join(at.home, 'handle-event'))
      .replace('9180', '0');
  const typed = block('unit').replace('/etc/svc-orders.key', 'orders.key');
  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  expect(setting('LoadCredential')).toBe('key:/etc/svc-orders.key');
  const { code, stdout, stderr } = await at.paste(
    `set -e\nprintf 'svc_live_fromtheunit\\n' | {\n${typed}}\nstat -c %a orders.key
    export ${here(setting('Environment'))} SVC_INSECURE_LOOPBACK=1
    cd ${here(setting('WorkingDirectory'))}
    ${here(setting('ExecStart'))} &
    until [ -e got ]; do sleep 0.1; done; kill -TERM $!; wait $! || echo "ended $?"`,
  );
  expect(code, stderr).toBe(0);
  expect(stdout).toBe(`600\nended ${setting('SuccessExitStatus')}\n`);
  expect(service.received[0]?.headers.authorization).toBe('Bearer svc_live_fromtheunit');
  expect(readFileSync(join(at.home, 'S/svc-orders/got'), 'utf8')).toBe(`${eventJson('e1')}\n`);
  expect(existsSync(join(at.home, 'S/svc-orders/state/checkpoints'))).toBe(true);
});
