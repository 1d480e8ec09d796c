import { expect, it } from 'vitest';
import { eachWorld } from '../support/svc.js';

const home = eachWorld();

type Listed = Readonly<Record<'id' | 'exam', string>>;
const idsOf = (listed: readonly Listed[]): string[] => listed.map(({ id }) => id);

it('is an array of all cases as JSON, each id once', async () => {
  const { exitCode, stdout } = await home.svc('certify list --json');
  const listed = JSON.parse(stdout) as Listed[];
  expect(exitCode).toBe(0);
  expect(new Set(idsOf(listed)).size).toBe(listed.length);
  expect(listed.find(({ id }) => id === 'twice.row')).toEqual({
    ...{ id: 'twice.row', exam: 'receiver', severity: 'must', section: '6 (5)' },
    title: 'the same event is accepted again later, and has its effect once',
  });
});

it('lists one exam, by lines and through a filter', async () => {
  const ndjson = await home.svc('certify list receiver -o ndjson');
  const lines = ndjson.stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Listed] : []));
  expect(new Set(lines.map(({ exam }) => exam))).toEqual(new Set(['receiver']));
  expect(lines).toHaveLength(46);
  const filtered = await home.svc(['certify', 'list', 'receiver', '--jq', '.[].id']);
  expect(filtered.stdout.trim().split('\n')).toEqual(idsOf(lines));
});

it('lists the faults of the client and the rules that they are held against', async () => {
  const { stdout } = await home.svc('certify list client --json');
  const listed = JSON.parse(stdout) as Listed[];
  expect(idsOf(listed).slice(0, 2)).toEqual(['lost-before', 'lost-after']);
  expect(listed.at(-1)).toMatchObject({ id: 'tolerant', exam: 'client', severity: 'should', section: '9' });
});

it('refuses another exam, and what no list heeds', async () => {
  expect((await home.svc('certify list sender')).exitCode).toBe(2);
  expect((await home.svc('certify list --live')).exitCode).toBe(2);
});
