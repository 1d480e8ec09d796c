import { describe, expect, it } from 'vitest';
import { COMMAND_IDS } from '../../src/registry.js';
import { HAS_KEYGEN } from '../support/signers.js';
import { outputOf, printedComplaints, saidCommands } from '../support/printed-check.js';
import { sharedDatabase } from '../support/shared-state.js';
import { eachWorld } from '../support/svc.js';
import { EXAMPLES, needsKeygen, sceneOf, SIGNED_AT } from './scenes.js';

const ASKS = /^svc pay(in|out)s create .*--interactive/;

const ENDS: readonly [pattern: RegExp, exit: number][] = [
  // The ledger has none of the operations.
  [/^svc reconcile/, 18],
  // Nobody pays the pay-in for which svc waits.
  [/^svc payins (create|get) .*--wait/, 8],
  // One row of the batch failed, and fails again.
  [/^svc batches (resume|retry)/, 3],
  // These commands run until Ctrl-C.
  [/^svc (sandbox start|webhooks listen)/, 130],
  [/^svc events (tail|forward) .*--checkpoint/, 130],
  [/^svc sandbox requests .*--follow/, 130],
];
const SILENT =
  /\[\]|--all|--checkpoint|--into|webhooks listen|sandbox exec|svc lock|sandbox requests --follow|select\(/;

it.each(COMMAND_IDS)('svc %s has two that run', (id) => {
  const runnable = EXAMPLES.filter(([other, example]) => other === id && !ASKS.test(example));
  expect(runnable.length).toBeGreaterThanOrEqual(2);
});

const SAID = await saidCommands();

it.each(COMMAND_IDS)('svc %s has one that shows what it prints', (id) => {
  const { form } = SAID.commands.find((one) => one.id === id)!;
  const shown = EXAMPLES.filter(([other]) => other === id).map(([, example]) =>
    outputOf(SAID, id, example.replace(/^.*?svc | [<>] .*$/g, '').split(' ')),
  );
  expect(shown.map((output) => output?.form)).toContain(form);
});

const shared = await sharedDatabase();
/** `svc state` needs a database, and not every machine can start a database. */
const isShared = (id: string): boolean => id.startsWith('state ');
const RUN = EXAMPLES.filter(
  ([id, example]) =>
    !ASKS.test(example) && (shared !== null || !isShared(id)) && (HAS_KEYGEN || !needsKeygen(example)),
);

describe('examples', () => {
  const fresh = eachWorld(SIGNED_AT);

  it.each(RUN)('%s: %s', async (id, example) => {
    expect(example).toMatch(new RegExp(`(^| \\| )svc ${id}( |$)`));
    const { argv, options } = await sceneOf(fresh, id, example);
    const env = isShared(id) ? shared!.env() : {};
    if (id !== 'state init' && isShared(id)) await fresh.svc('state init', { env });
    const result = await fresh.svc(argv, { ...options, env: { ...options.env, ...env } });
    const [, exit] = ENDS.find(([pattern]) => pattern.test(example)) ?? [null, 0];
    expect(result.exitCode, result.stderr).toBe(exit);
    if (!SILENT.test(example)) expect(result.stdout).not.toBe('');
    const said = outputOf(SAID, id, argv);
    if (said !== null && result.stdout !== '')
      expect(printedComplaints(SAID, said, result.stdout), result.stdout).toEqual([]);
  });
});
