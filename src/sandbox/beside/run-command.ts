import type { ProgramOptions } from '../../runtime/child.js';
import { errorCode } from '../../runtime/folders.js';
import { Failure, toFailure } from '../../runtime/failure.js';

/**
 * Returns the exit code, or 128 plus the number of the signal that ended the command. @throws Failure `command_missing` or
 * `command_unusable`
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
    const failure = toFailure(error, { outcome: 'not_sent' });
    if (failure.kind === 'local_state') throw failure;
    const [name = ''] = command;
    const code = errorCode(error) ?? '';
    // A shell also distinguishes a command that does not exist (127) from a command that cannot be started (126).
    const [kind, text] = ['ENOENT', 'ENOTDIR', 'ERR_INVALID_ARG_VALUE'].includes(code)
      ? (['command_missing', `The command "${name}" does not exist.`] as const)
      : (['command_unusable', `"${name}" could not be started (${code}).`] as const);
    throw new Failure(kind, `${text} Nothing was run.`, { cause: error });
  }
}
