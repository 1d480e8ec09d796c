import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { csvOf, type Row } from '../batches/simulation/catalog.js';
import { openLedger } from '../soak/state/ledger.js';
import { startPostgres } from '../support/postgres.js';
import { pageOf, blocksOf, linesOf, machine, type Machine } from '../support/readme.js';

const PAGE = pageOf('docs/several-machines.md');
const ROWS = Array.from({ length: 60 }, (_, person): Row => ({
  ...{ reference: `emp-${String(person)}`, amount: 100, person, account: 'good' },
}));

type Rule = Readonly<Record<'action', string> & Record<'onExitCodes', Readonly<Record<'values', number[]>>>>;
interface Container {
  readonly command: readonly [string, string, string];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}
interface Job {
  readonly parallelism: number;
  readonly podFailurePolicy: { readonly rules: readonly Rule[] };
  readonly template: { readonly spec: { readonly containers: readonly [Container] } };
}

const { spec: JOB } = parse(blocksOf('yaml', PAGE)[0]!) as { spec: Job };
const [CONTAINER] = JOB.template.spec.containers;
const codesOf = (action: string): number[] =>
  JOB.podFailurePolicy.rules
    .filter((rule) => rule.action === action)
    .flatMap(({ onExitCodes }) => onExitCodes.values);

const server = await startPostgres();

function pod(url: string, service: string, key: string): { at: Machine; env: Record<string, string> } {
  const at = machine();
  at.put('secrets/api-key', 'svc_test_of_several_machines\n', 0o600);
  at.put('secrets/state-url', url, 0o600);
  at.put('secrets/state.key', key, 0o600);
  at.put('payroll/payroll.csv', csvOf('payout', ROWS));
  const given = CONTAINER.env.map(({ name, value = at.home }): [string, string] => [
    name,
    name === 'SVC_BASE_URL' ? service : value.replace(/^\/secrets/, join(at.home, 'secrets')),
  ]);
  return { at, env: Object.fromEntries(given) };
}

it('has two blocks to type, and one Job', () => {
  expect(blocksOf('sh', PAGE)).toHaveLength(2);
  expect(blocksOf('yaml', PAGE)).toHaveLength(1);
  expect(codesOf('Ignore')).toEqual([15]);
  expect(codesOf('FailJob')).toEqual([1, 2, 3, 4, 12, 13, 14]);
});

it.skipIf(server === null)('pays everybody once from three pods', async () => {
  const { host, port, database } = server!.address;
  const owner = machine();
  // The test sends the SQL to the server itself, because psql may not be installed.
  owner.put('bin/psql', '#!/bin/sh\ntest "$1" = -v\n', 0o755);
  const [first, second] = blocksOf('sh', PAGE);
  const [ended, codes] = await owner.codes(linesOf(first!));
  expect(codes, ended.stderr).toEqual([0, 0, 0, 0]);
  await server!.query(readFileSync(join(owner.home, 'state.sql'), 'utf8'));
  await server!.query("ALTER ROLE svc_worker LOGIN PASSWORD 'of-the-worker'");

  const ledger = await openLedger();
  ledger.delayMs = 30;
  const key = readFileSync(join(owner.home, 'state.key'), 'utf8');
  const url = `postgres://svc_worker:of-the-worker@${host}:${String(port)}/${database}`;
  let pods = 0;
  const completed: string[] = [];
  const failed: string[] = [];
  const run = async (): Promise<void> => {
    const name = `payroll-${String((pods += 1))}`;
    const { at, env: given } = pod(url, ledger.url, key);
    const script = CONTAINER.command[2].replaceAll('/payroll/', `${at.home}/payroll/`);
    const { code, stderr } = await at.paste(script, { ...given, SVC_WORKER_NAME: name });
    if (code === 0) completed.push(name);
    else if (codesOf('Ignore').includes(code ?? -1) && pods < 30) await run();
    else failed.push(`${name}: ${String(code)} ${stderr}`);
  };
  await Promise.all(Array.from({ length: JOB.parallelism }, run));
  expect(failed).toEqual([]);
  expect(completed).toHaveLength(3);
  expect(ledger.paid.map(({ reference }) => reference).sort()).toEqual(
    ROWS.map(({ reference }) => reference).sort(),
  );

  await run();
  expect([completed.length, failed]).toEqual([4, []]);

  const { at, env: given } = pod(url, ledger.url, key);
  const [looked, ends] = await at.codes(linesOf(second!), given);
  expect(ends.slice(0, 2), looked.stderr).toEqual([0, 0]);
  expect(ends[2]).not.toBe(2);
  expect(looked.stdout).toMatch(/"name":"payroll-\d+"/);
  await ledger.close();
});
