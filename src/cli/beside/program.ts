/** A command that svc runs: how it ends as a shell has it, and why it could not be run. */
import type { ProgramOptions } from '../../runtime/child.js';
import { errorCode } from '../../runtime/folders.js';
import { Failure, unexpected } from '../../runtime/failure.js';

/**
 * Runs it in no shell; what it left behind in its process group is ended, unless it runs in place of svc.
 * @returns its exit code; 128 and the number of the signal that ended it
 * @throws Failure `command_missing` or `command_unusable` where nothing was run
 */
export async function runCommand(
  command: readonly string[],
  options: ProgramOptions,
  way: 'aside' | 'inPlace' = 'aside',
): Promise<number> {
  const { runInPlace, runProgram, shellCode } = await import('../../runtime/child.js');
  try {
    return shellCode(await (way === 'aside' ? runProgram : runInPlace)(command, options));
  } catch (error) {
    const lacking = unexpected(error, { outcome: 'not_sent' });
    if (lacking.kind === 'local_state') throw lacking;
    const [name = ''] = command;
    const code = errorCode(error) ?? '';
    // As a shell has it: 127 where there is no such command, 126 where it is no program that may be started.
    const [kind, text] = ['ENOENT', 'ENOTDIR', 'ERR_INVALID_ARG_VALUE'].includes(code)
      ? (['command_missing', `The command "${name}" does not exist.`] as const)
      : (['command_unusable', `"${name}" could not be started (${code}).`] as const);
    throw new Failure(kind, `${text} Nothing was run.`, { cause: error });
  }
}
