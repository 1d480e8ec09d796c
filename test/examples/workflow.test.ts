import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../house/source.js';
import { shell } from '../support/program.js';
import { freePort } from '../support/serving.js';

const TEXT = readFileSync(join(ROOT, 'examples/node/certify.yml'), 'utf8');

interface Workflow {
  readonly on: readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly Readonly<Record<'uses' | 'run', string | undefined>>[] }>
  >;
}

const WORKFLOW = parse(TEXT) as Workflow;
const STEPS = Object.values(WORKFLOW.jobs).flatMap(({ steps }) => steps);

it('is one job that reads the repository, and takes three steps of others', () => {
  expect([Object.keys(WORKFLOW.jobs), WORKFLOW.on, WORKFLOW.permissions]).toEqual([
    ...[['certify'], ['push', 'pull_request'], { contents: 'read' }],
  ]);
  expect(STEPS.flatMap(({ uses = [] }) => uses)).toEqual([
    ...['actions/checkout@v4', 'actions/setup-node@v4', 'actions/upload-artifact@v4'],
  ]);
});

it('both exams pass, and leave a report', { timeout: 240_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-workflow-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['bin', 'dist', 'docs/sandbox-state.schema.json', 'oclif.manifest.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  // Optional dependencies come from a registry, and this test asks no registry.
  const { optionalDependencies: _none, ...manifest } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  ) as { optionalDependencies: object };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const at = join(folder, 'examples/node');
  for (const name of ['package.json', 'shop.js', 'shop.test.js', 'serve.js', 'signature.js'])
    cpSync(join(ROOT, 'examples/node', name), join(at, name));

  const port = String(await freePort());
  const env = {
    ...{ npm_config_offline: 'true', npm_config_audit: 'false', npm_config_update_notifier: 'false' },
    ...{ PORT: port, CI: 'true' },
  };
  const [, install = ''] = /^# .*: (npm install .*)$/m.exec(TEXT) ?? [];
  const steps = ['npm pack --ignore-scripts ../..', install, ...STEPS.flatMap(({ run = [] }) => run)];
  expect(steps).toHaveLength(5);
  for (const step of steps) {
    // A CI ends processes that a step leaves running.
    const line = `export PATH='${dirname(process.execPath)}':"$PATH"; cd '${at}'; trap 'kill $(jobs -p) 2> /dev/null || :' EXIT\nset -e\n`;
    const { code, stdout, stderr } = await shell(line + step.replaceAll('3000', port), folder, { env });
    expect(code, `${step}\n${stdout}${stderr}`).toBe(0);
  }
  for (const exam of ['client', 'receiver']) {
    const path = join(at, `certify-${exam}.xml`);
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, 'utf8')).toMatch(/ failures="0" errors="0"/);
  }
});
