import { expect, it } from 'vitest';
import { fresh } from '../support/fresh.js';
import { world } from '../support/svc.js';

const here = fresh(world);

const NARROW = { tty: { stderr: true }, columns: 40 };

it.each([
  [
    NARROW,
    [
      'Embedded sandbox: nothing is configured,',
      'so no money moves.',
      'No request is open. There is nothing to',
    ],
  ],
  [{ columns: 40 }, ['Embedded sandbox: nothing is configured, so no money moves.']],
])('breaks a note between words on a terminal, and nowhere else: %j', async (options, lines) => {
  const { stderr } = await here.svc('requests repeat --all', options);
  expect(stderr.split('\n').slice(0, lines.length)).toEqual(lines);
});

it('breaks what a change of profiles says in the same way', async () => {
  const add = ['profiles', 'add', 'shop', '--base-url', 'https://api.example.com', '--key-stdin'];
  const stdin = 'svc_test_0123456789abcdef';
  const { exitCode, stderr } = await here.svc(add, { ...NARROW, stdin });
  expect(exitCode).toBe(0);
  expect(stderr).toContain('0600');
  for (const line of stderr.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
});

it.each([
  ['profiles set-key shop --key-stdin', 'svc_test_0123456789'],
  ['sandbox reset', ''],
])('breaks what %s says between words too', async (line, stdin) => {
  await here.svc('profiles add shop --base-url https://api.example.com');
  await here.svc('payouts create --data {}');
  const { stderr } = await here.svc(line, { ...NARROW, stdin });
  const wide = await here.svc(line, { ...NARROW, stdin, columns: 400 });
  for (const said of stderr.split('\n')) expect(said.length, said).toBeLessThanOrEqual(40);
  expect(stderr.split(/\s+/)).toEqual(wide.stderr.split(/\s+/));
});
