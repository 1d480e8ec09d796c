import { afterEach, beforeEach, expect, it } from 'vitest';
import { run } from '../bin/project.js';
import { environment, PROGRAM } from '../support/program.js';
import { payout } from '../support/requests.js';
import { world, type World } from '../support/svc.js';

let home: World;
let leader = 0;
beforeEach(() => (home = world(new Date().toISOString())));
afterEach(() => {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The process has ended.
  }
});

const STUBBORN = "trap 'echo still here' INT; echo in hand of $$; while :; do sleep 0.1; done";

it('ends with the second signal, whatever it makes of the first', async () => {
  await home.svc(payout());
  const words = ['events', 'tail', '--exec', STUBBORN];
  const started = run([PROGRAM, ...words], { cwd: home.home, env: environment(home.home) });
  leader = Number((await started.shows(/in hand of ([0-9]+)/))[1]);
  started.child.kill('SIGINT');
  await started.shows(/still here/);
  started.child.kill('SIGINT');
  expect((await started.ended).code).toBe(130);
});
