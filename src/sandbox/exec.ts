import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { Texts } from '../command/line/flags.js';
import { Failure, ProgramEnded } from '../runtime/failure.js';
import { onDisk } from '../runtime/folders.js';
import type { Ports } from '../runtime/ports.js';
import { examAddress, openAtExam } from './beside/exam.js';
import { Refusals } from './beside/refusals.js';
import { runCommand } from './beside/run-command.js';
import { openCommandSandbox, variablesOf, withoutSvcVariables } from './beside/sandbox.js';
import { STATE_TOO_LARGE } from './control/call.js';
import { openLoopback, openNetwork } from '../session/connection.js';
import { controlOf, readStateFile, seedSandbox, type ControlCaller } from './export-import.js';
import { readSettings, type TypedSettings } from './settings.js';

export async function runBesideSandbox(
  ports: Ports,
  command: readonly string[],
  flags: TypedSettings & Texts<'seed' | 'keep'> & Readonly<Record<'live' | 'quiet', boolean>>,
): Promise<void> {
  const settings = { ...readSettings(flags), isLive: flags.live };
  const { keep: keepPath } = flags;
  const state = flags.seed === undefined ? null : await readStateFile(ports, flags.seed);
  if (keepPath !== undefined)
    onDisk('written', keepPath, () => closeSync(openSync(keepPath, 'a', STATE_FILE_MODE)));
  const examUrl = examAddress(ports.env);
  const { makeTemporaryFolder } = await import('../runtime/temporary-folder.js');
  const { IN_PROGRESS_MAX } = await import('./delivery/attempt.js');
  const folder = makeTemporaryFolder('svc-beside-', ports.random);
  const ownVariables = { SVC_HOME: folder.path, ...(examUrl === null ? {} : { SVC_CERTIFY: examUrl }) };
  const refusals = new Refusals();
  const runBeside = async (): Promise<number> => {
    const network =
      examUrl === null ? await openNetwork(ports, undefined, IN_PROGRESS_MAX) : await openLoopback(ports);
    try {
      const openOwn = async () => {
        const own = await openCommandSandbox(ports, settings, network.transport, refusals);
        return { ...own, control: controlOf(own.sandbox) };
      };
      const sandbox =
        examUrl === null ? await openOwn() : await openAtExam(examUrl, settings, network.transport);
      const { port, apiKey, control } = sandbox;
      try {
        const seedKey = state === null ? null : await seedSandbox(control, state);
        const key = settings.isLive ? apiKey : (seedKey ?? apiKey);
        const variables = { ...ownVariables, ...variablesOf(port, key, settings.isLive) };
        const env = { ...withoutSvcVariables(ports.env), ...variables };
        const exitCode = await runCommand(command, { env, signal: ports.signal });
        if (keepPath !== undefined) await keepState(keepPath, control);
        if (exitCode !== 0 && !flags.quiet) {
          await refusals.readAll(control);
          await ports.errors.write(refusals.text());
        }
        return exitCode;
      } finally {
        await sandbox.close();
      }
    } finally {
      await network.close();
    }
  };
  const exitCode = await runBeside().finally(() => folder.remove());
  if (exitCode !== 0) throw new ProgramEnded(exitCode);
}

/** The file is private, because a state holds keys. */
const STATE_FILE_MODE = 0o600;

async function keepState(path: string, control: ControlCaller): Promise<void> {
  const { status, body } = await control('GET', 'state', null);
  if (status !== 200) throw new Failure('local_state', `${path} could not be written. ${STATE_TOO_LARGE}`);
  onDisk('written', path, () => writeFileSync(path, body));
}
