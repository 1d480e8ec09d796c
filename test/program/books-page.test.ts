import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FINDING_CLASSES } from '../../src/reconcile/finding.js';
import { pageOf, blocksOf, linesOf, machine, type Machine } from '../support/readme.js';

const PAGE = pageOf('docs/books.md');

function section(heading: string): string {
  const [, text = ''] = new RegExp(`^## ${heading}[^\\n]*\\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(PAGE) ?? [];
  expect(text, heading).not.toBe('');
  return text;
}

async function yesterday(): Promise<Machine> {
  const fresh = machine();
  const texts = blocksOf('csv', PAGE);
  for (const [at, name] of ['yesterday.csv', 'bank.csv'].entries()) {
    expect(PAGE).toContain(`\`${name}\``);
    fresh.put(name, texts[at]!);
  }
  const [block = ''] = blocksOf('sh', section('1'));
  const [ended, codes] = await fresh.codes(linesOf(block));
  expect(codes, ended.stderr).toEqual([0]);
  return fresh;
}

describe('the page', () => {
  it('tells of every class, and of no other', () => {
    const told = [...section('3').matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
    expect(told.toSorted()).toEqual(FINDING_CLASSES.toSorted());
  });

  it('finds a payment', async () => {
    const fresh = await yesterday();
    const [block = ''] = blocksOf('sh', section('2'));
    const [ended, codes] = await fresh.codes(linesOf(block));
    expect(codes, ended.stderr).toEqual([0, 0]);
    expect(ended.stdout.match(/"rent-0001"/g)?.length).toBe(2);
    expect(ended.stdout).toContain('"rent-0002"');
  });

  it('reconciles the statement of a bank, and leads to each difference', async () => {
    const fresh = await yesterday();
    const [block = ''] = blocksOf('sh', section('3'));
    const [ended, codes] = await fresh.codes(linesOf(block));
    expect(codes, ended.stderr).toEqual([18, 18, 18]);
    const classes = [...ended.stdout.matchAll(/^\{"class":"(\w+)"/gm)].map(([, name]) => name);
    expect(classes).toEqual(['amount_differs', 'only_here', 'amount_differs', 'only_here']);
    expect(ended.stderr).toContain('reference is "Referencia", amount is "Importe"');
    const report = readFileSync(join(fresh.home, 'report.html'), 'utf8');
    expect(report).toContain('rent-0009');
    const next = ended.stdout.split('\n').filter((line) => line.startsWith('svc '));
    expect(next).toHaveLength(2);
    const [typed, ends] = await fresh.codes(next);
    expect(ends, typed.stderr).toEqual([0, 5]);
    expect(typed.stdout).toContain('"rent-0002"');
  });

  it('has a job of the night that says what is the matter', async () => {
    const fresh = await yesterday();
    const job = /^```sh morning\.sh\n([^]*?)^```$/m.exec(PAGE)?.[1] ?? '';
    fresh.put('morning.sh', job);
    const [first = '', ...others] = blocksOf('sh', section('3')).flatMap(linesOf);
    const line = others.at(-1) ?? '';
    expect(line).toBe('sh morning.sh bank.csv');
    await fresh.paste(first);
    const ended = await fresh.paste(line);
    expect([ended.code, ended.stdout]).toEqual([
      0,
      expect.stringMatching(/^They differ:\n\{"agrees":false,/),
    ]);
    fresh.put('bank.csv', 'Referencia;Importe\nrent-0001;1.500,50\nrent-0002;980,00\n');
    expect(await fresh.paste(line)).toMatchObject({ code: 0, stdout: 'All agree.\n' });
    fresh.put('bank.csv', 'Referencia;Importe\nrent-0001;a lot\nrent-0002;980,00\n');
    expect(await fresh.paste(line)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"exit_code":14') as unknown,
    });
    fresh.put('bank.csv', 'Referencia;Importe\nrent-0001;1.500,50\n');
    const nobody = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'svc_test_0123456789abcdef' };
    expect((await fresh.paste(line, nobody)).code).toBe(75);
  });
});
