import { jsonIn } from '../contract/json.js';
import { ProgramEnded } from '../runtime/failure.js';
import type { Environ, Ports } from '../runtime/ports.js';
import { examAddress, openAtExam } from './beside/exam.js';
import { runCommand } from './beside/run-command.js';
import { openCommandSandbox, variablesOf, withoutSvcVariables } from './beside/sandbox.js';
import type { CommandSandboxSettings } from './beside/sandbox.js';
import { SEED_QUERY } from './control/call.js';
import { openLoopback, openNetwork } from '../session/connection.js';
import { checkSeeded, readStateFile, seedSandbox } from './export-import.js';
import { readSettings, type TypedSettings } from './settings.js';

export async function runBesideSandbox(
  ports: Ports,
  command: readonly string[],
  flags: TypedSettings & { readonly live: boolean; readonly seed?: string | undefined },
): Promise<void> {
  const settings = { ...readSettings(flags), isLive: flags.live };
  const state = flags.seed === undefined ? null : await readStateFile(ports, flags.seed);
  const exam = examAddress(ports.env);
  const { makeTemporaryFolder } = await import('../runtime/temporary-folder.js');
  const folder = makeTemporaryFolder('svc-beside-', ports.random);
  const ownVariables = { SVC_HOME: folder.path, ...(exam === null ? {} : { SVC_CERTIFY: exam }) };
  const runWith: RunWith = (variables) => {
    const env = { ...withoutSvcVariables(ports.env), ...ownVariables, ...variables };
    return runCommand(command, { env, signal: ports.signal });
  };
  const programEnd =
    exam === null
      ? runBesideOwn(ports, settings, state, runWith)
      : runBesideExam(await openLoopback(ports), exam, settings, state, runWith);
  const exitCode = await programEnd.finally(() => folder.remove());
  if (exitCode !== 0) throw new ProgramEnded(exitCode);
}

type RunWith = (variables: Environ) => Promise<number>;

async function runBesideOwn(
  ports: Ports,
  settings: CommandSandboxSettings,
  state: Uint8Array | null,
  runWith: RunWith,
): Promise<number> {
  const { IN_PROGRESS_MAX } = await import('./delivery/attempt.js');
  const network = await openNetwork(ports, undefined, IN_PROGRESS_MAX);
  const sandbox = await openCommandSandbox(ports, settings, network.transport);
  try {
    if (state !== null) await seedSandbox(sandbox.sandbox, state);
    return await runWith(sandbox.variables);
  } finally {
    await sandbox.close();
    await network.close();
  }
}

async function runBesideExam(
  network: Awaited<ReturnType<typeof openLoopback>>,
  exam: string,
  settings: CommandSandboxSettings,
  state: Uint8Array | null,
  runWith: RunWith,
): Promise<number> {
  try {
    const sandbox = await openAtExam(exam, settings, network.transport);
    try {
      let key = sandbox.apiKey;
      if (state !== null) {
        const seeded = await sandbox.control('PUT', `/state?${SEED_QUERY}`, state);
        checkSeeded(seeded);
        if (!settings.isLive) key = (jsonIn(seeded.body) as { readonly api_key: string }).api_key;
      }
      return await runWith(variablesOf(sandbox.port, key, settings.isLive));
    } finally {
      await sandbox.close();
    }
  } finally {
    await network.close();
  }
}
