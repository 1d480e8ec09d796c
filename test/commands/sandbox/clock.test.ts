/** `svc sandbox clock`: shows the sandbox's time, or moves it; what was due has happened when it answers. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { incomingTransfer } from '../../support/requests.js';
import { world, type World } from '../../support/svc.js';

let home: World;
beforeEach(() => {
  home = world('2026-09-23T15:00:00Z');
});
afterEach(() => home.remove());

const now = async (): Promise<unknown> => (await home.svc('sandbox clock')).json()['now'];

it('shows the time and moves it, and it goes on from there', async () => {
  expect(await now()).toBe('2026-09-23T15:00:00Z');
  const moved = await home.svc('sandbox clock advance 48h');
  expect(moved.json()).toEqual({ now: '2026-09-25T15:00:00Z' });
  home.clock.advance(60_000);
  expect(await now()).toBe('2026-09-25T15:01:00Z');
});

it.each([
  ['30s', '2026-09-23T15:00:30Z'],
  ['5m', '2026-09-23T15:05:00Z'],
  ['2d', '2026-09-25T15:00:00Z'],
])('advances by %s', async (by, then) => {
  expect((await home.svc(`sandbox clock advance ${by}`)).json()).toEqual({ now: then });
});

it('does what was due', async () => {
  const id = String((await home.svc(incomingTransfer())).json()['id']);
  await home.svc('sandbox clock advance 48h');
  const { stdout } = await home.svc(['events', 'list', '--jq', '.events[].data.id']);
  expect(stdout).toBe(`${id}\n`);
});

it.each(['advance', 'advance soon', 'advance 1.5h', 'advance -5m', 'back 5m', 'advance 5m more'])(
  'refuses %s',
  async (words) => {
    expect(await home.svc(`sandbox clock ${words}`)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await now()).toBe('2026-09-23T15:00:00Z');
  },
);
