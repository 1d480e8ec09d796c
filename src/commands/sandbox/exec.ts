/** Runs the command of `svc sandbox exec` beside a sandbox of its own, with a temporary folder for the stores of `svc`. */
import { ProgramEnded } from '../../runtime/failure.js';
import type { Environ, Ports } from '../../runtime/ports.js';
import { runCommand } from '../../cli/beside/program.js';
import { type BesideSettings, openBeside, withoutOwn } from '../../cli/beside/sandbox.js';
import { openNetwork } from '../../cli/session/connection.js';
import { readStateFile, seed } from './keeping.js';
import { readSettings, type TypedSettings } from './settings.js';

type ExecFlags = TypedSettings & { readonly live: boolean; readonly seed?: string | undefined };

/**
 * Ends as the command ends, and leaves nothing behind.
 * @throws Failure `usage` for a flag, `bad_file` for a seed; ProgramEnded where that is no success; Failure `command_missing` or `command_unusable` where nothing was run, `local_state`
 * where there is no room for what `svc` keeps
 */
export async function runBesideSandbox(
  ports: Ports,
  command: readonly string[],
  flags: ExecFlags,
): Promise<void> {
  const settings = { ...readSettings(flags), isLive: flags.live };
  const state = flags.seed === undefined ? null : await readStateFile(ports, flags.seed);
  const { makeTemporaryFolder } = await import('../../runtime/temporary-folder.js');
  const folder = makeTemporaryFolder('svc-beside-', ports.random);
  let exitCode: number;
  try {
    exitCode = await exitCodeBeside(ports, command, { SVC_HOME: folder.path }, { settings, state });
  } finally {
    folder.remove();
  }
  if (exitCode !== 0) throw new ProgramEnded(exitCode);
}

/** @param own what the command gets beside the way to the sandbox */
async function exitCodeBeside(
  ports: Ports,
  command: readonly string[],
  own: Environ,
  { settings, state }: { readonly settings: BesideSettings; readonly state: Uint8Array | null },
): Promise<number> {
  const { UNDER_WAY_MAX } = await import('../../sandbox/delivery/attempt.js');
  const network = await openNetwork(ports, undefined, UNDER_WAY_MAX);
  const beside = await openBeside(ports, settings, network.transport);
  try {
    if (state !== null) seed(beside.sandbox, state);
    const env = { ...withoutOwn(ports.env), ...own, ...beside.variables };
    return await runCommand(command, { env, signal: ports.signal });
  } finally {
    await beside.close();
    await network.close();
  }
}
