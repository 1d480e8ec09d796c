import type { ProgramOptions } from '../../runtime/child.js';
import { errorCode } from '../../runtime/folders.js';
import { Failure, toFailure } from '../../runtime/failure.js';

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
    const [kind, text] = ['ENOENT', 'ENOTDIR', 'ERR_INVALID_ARG_VALUE'].includes(code)
      ? (['command_missing', `The command "${name}" does not exist.`] as const)
      : (['command_unusable', `"${name}" could not be started (${code}).`] as const);
    throw new Failure(kind, `${text} Nothing was run.`, { cause: error });
  }
}
