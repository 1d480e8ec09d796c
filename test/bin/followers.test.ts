import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../house/source.js';
import { csv, fileIn, people } from '../support/payroll.js';
import { environment, SHELL_COMMAND } from '../support/program.js';
import { payout } from '../support/requests.js';
import { world, type World } from '../support/svc.js';
import { makeProject, run, type Project } from './project.js';

let home: World;
beforeEach(() => (home = world(new Date().toISOString())));

describe('when the launcher is killed', () => {
  let project: Project;
  beforeEach(() => {
    project = makeProject('');
    rmSync(join(project.folder, 'dist'), { recursive: true });
    symlinkSync(join(ROOT, 'dist'), join(project.folder, 'dist'));
  });

  const PAYROLL = 'payroll.csv';
  it.each([
    ["events tail --exec 'echo in hand; sleep 100'", /in hand/],
    [`payouts batch ${PAYROLL} --rate 1/s`, /40 rows are valid/],
  ])('svc %s ends', async (line, pattern) => {
    await home.svc(payout());
    fileIn(home.home, PAYROLL, csv(people(40)));
    const words = (line.match(/(?:'[^']*'|\S)+/g) ?? []).map((word) => word.replaceAll("'", ''));
    const started = run([...project.old, ...words], { cwd: home.home, env: environment(home.home) });
    await started.shows(pattern);
    started.child.kill('SIGKILL');
    // `ended` resolves only when the last process that has the streams open is gone.
    expect(await started.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(started.text()).not.toContain('"exit_code"');
    if (line.startsWith('payouts batch'))
      expect(await home.svc('batches resume payroll --wait')).toMatchObject({ exitCode: 0 });
  });
});

it('lives on where the shell that started it ends, as under nohup and systemd', async () => {
  const out = join(home.home, 'events.ndjson');
  const script = `${SHELL_COMMAND} events tail --interval 100ms > '${out}' 2>&1 & echo $!`;
  const shell = spawn('sh', ['-c', script], {
    env: environment(home.home),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [told] = (await once(shell.stdout, 'data')) as [Buffer];
  const pid = Number(told.toString());
  await once(shell, 'exit');
  try {
    await home.svc(payout());
    const said = (): string => (existsSync(out) ? readFileSync(out, 'utf8') : '');
    await expect.poll(said, { timeout: 40_000 }).toContain('payout.confirmed');
    await home.svc(payout());
    await expect.poll(() => said().match(/payout\.confirmed/g)?.length, { timeout: 40_000 }).toBe(2);
    process.kill(pid, 'SIGTERM');
    await expect.poll(said, { timeout: 40_000 }).toContain('"exit_code":143');
  } finally {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
});
