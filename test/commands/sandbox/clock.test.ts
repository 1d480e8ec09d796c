/** `svc sandbox clock`: shows the sandbox's time, or moves it. */
import { expect, it } from 'vitest';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld('2026-09-23T15:00:00Z');

const now = async (): Promise<unknown> => (await home.svc('sandbox clock')).json()['now'];

it('shows the time and moves it, and it goes on from there', async () => {
  expect(await now()).toBe('2026-09-23T15:00:00Z');
  const moved = await home.svc('sandbox clock advance 48h');
  expect(moved.json()).toEqual({ now: '2026-09-25T15:00:00Z' });
  home.clock.advance(60_000);
  expect(await now()).toBe('2026-09-25T15:01:00Z');
});

it.each(['advance', 'advance soon', 'advance 1.5h', 'advance -5m', 'back 5m', 'advance 5m more'])(
  'refuses %s',
  async (words) => {
    expect(await home.svc(`sandbox clock ${words}`)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await now()).toBe('2026-09-23T15:00:00Z');
  },
);
