import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OUTCOME_STATUSES } from '../../src/certify/report/report.js';
import { pageOf, blockOf, namesIn, linesOf, machine, type Machine } from '../support/readme.js';
import { freePort } from '../support/serving.js';

const PAGE = pageOf('docs/certify.md');

const block = (name: string, page = PAGE): string => blockOf(page, name);

function inGeneral(text: string): string {
  return text
    .replaceAll(/\b(key) ([0-9a-f-]{36}|KEY\d)/g, '$1 KEY')
    .replaceAll(/\b\d+ ms later/g, 'later')
    .replaceAll(/(payouts\.create)-[0-9a-f]+/g, '$1-LABEL');
}

async function ends(at: Machine, script: string): Promise<{ codes: number[]; stdout: string }> {
  const said = `svc() { command svc "$@"; set -- "$?"; echo "exit $1"; return "$1"; }`;
  const quiet = script.replaceAll('$(svc ', '$(command svc ');
  const { stdout } = await at.paste(`${said}\n${quiet}`, { SVC_OUTPUT: 'table' });
  return { stdout, codes: [...stdout.matchAll(/^exit (\d+)$/gm)].map(([, code]) => Number(code)) };
}

function expectShown(stdout: string, name: string): void {
  const shown = `\n${inGeneral(stdout)}`;
  for (const line of inGeneral(block(name)).trimEnd().split('\n')) expect(shown).toContain(`\n${line}`);
}

it('each block of it has a name, and is tried here', () => {
  expect(namesIn(PAGE)).toEqual([
    ...['sh receiver', 'sh forgets', 'text forgets-report', 'js pay.mjs', 'sh client', 'text client-report'],
    ...['sh mend', 'sh keep', 'sh suites', 'sh flags'],
  ]);
});

it('a receiver passes, and one that forgets does not', async () => {
  const at = machine();
  const port = String(await freePort());
  at.put('receiver.mjs', block('receiver.mjs', pageOf('docs/receive-events.md')));
  const here = (script: string): string => `export PORT=${port}\n${script.replaceAll('3000', port)}`;
  const { codes, stdout } = await ends(
    at,
    here(`trap 'kill $!' EXIT\n${block('receiver')}${block('forgets')}`),
  );
  expect(codes, stdout).toEqual([0, 19]);
  const [passed = '', failed = ''] = stdout.replaceAll(port, '3000').split('exit 0\n');
  expect(passed).toContain(/all (\d+ cases passed)/.exec(PAGE)![1]!.replace(' cases', ''));
  expectShown(failed, 'forgets-report');
  const back = /`(mv .*?)`/.exec(PAGE)![1]!;
  expect((await ends(at, here(`trap 'kill $!' EXIT\n${back}\n${block('receiver')}`))).codes).toEqual([0]);
});

it('a program that pays fails, is shown where, is mended, and passes; with other flags, too', async () => {
  const at = machine();
  at.put('pay.mjs', block('pay.mjs'));
  const failing = await ends(at, block('client'));
  expect(failing.codes).toEqual([19]);
  expectShown(failing.stdout, 'client-report');
  const mended = await ends(at, block('mend') + block('flags'));
  expect(mended.codes, mended.stdout).toEqual([0, 0, 0, 0, 0]);
  expect(readFileSync(join(at.home, 'client.xml'), 'utf8')).toMatch(/^<\?xml .*<testsuites? /s);
  const [, json = ''] = /^(\{"exam".*\})$/m.exec(mended.stdout) ?? [];
  const report = JSON.parse(json) as { cases: object[] };
  const named = [...PAGE.matchAll(/one JSON object: ([^.]*)\. A case has ([^.]*)\./g)][0]!;
  const members = named.slice(1).map((list) => [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect([Object.keys(report), Object.keys(report.cases[0]!)]).toEqual(members);
});

it('the sandbox of one case stays, with its page, until Ctrl-C', async () => {
  const at = machine();
  at.put('pay.mjs', block('pay.mjs'));
  const code = await at.until(block('keep').trim(), async (text) => {
    const [url] = /http:\/\/127\.0\.0\.1:\d+\//.exec(text) ?? [];
    if (url === undefined) return false;
    expect((await fetch(url)).headers.get('content-type')).toContain('text/html');
    return true;
  });
  expect(code).toBe(130);
});

it('the suites are those of the shops in examples, which are tried', () => {
  const [node = '', python = ''] = linesOf(block('suites'));
  const workflow = pageOf('examples/node/certify.yml').replace(/ --junit \S+/, '');
  expect(workflow).toContain(`run: npx ${node}\n`);
  expect(pageOf('examples/python/README.md')).toContain(`\`\`\`sh\n${python}\n\`\`\``);
});

it('names every status of a case', () => {
  const rows = [...PAGE.matchAll(/^\| `([a-z ]+)` +\|/gm)].map(([, name = '']) => name.replace(' ', '_'));
  expect(rows).toEqual([...OUTCOME_STATUSES]);
});
