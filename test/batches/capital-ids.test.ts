import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { altered } from '../support/altered.js';
import { batchHome } from '../support/batch-home.js';
import { csv, person } from '../support/payroll.js';
import type { Result } from '../support/svc.js';

const here = batchHome();
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const svc = (line: string): Promise<Result> =>
  here.svc(line, {
    transport: altered(here.shaky.transport, /./, (body) =>
      Buffer.from(body.toString('utf8').replace(UUID, (id) => id.toUpperCase())),
    ),
  });

const numbers = ['12345678', '00000002', '00000001'];
const rows = numbers.map((number, at) => person(at, { 'beneficiary.document.number': number }));

it('skips what was paid', async () => {
  writeFileSync(here.file, csv(rows));
  const made = await svc(`payouts batch ${here.file} --wait --json`);
  expect(made.json()).toMatchObject({ confirmed: 2, failed: 1 });
  const again = await svc(`payouts batch ${here.file} --batch again --skip-paid --json`);
  expect(again.json(), again.stderr).toMatchObject({ earlier: 2, failed: 1 });
});
