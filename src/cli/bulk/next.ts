/** What a person at a terminal does next about a batch that is not at its end, where its summary names no command. */
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../command.js';
import { styleForErrors } from '../line/interaction.js';
import { batchCommand, type Summary } from './end.js';
import type { Printer } from '../printing/printer.js';

/** Writes it on standard error beneath the summary; nothing where nobody reads one, or where it names the command itself. */
export async function tellNext(
  summary: Summary,
  { mode }: Pick<Printer, 'mode'>,
  { errors, output, env }: Pick<Ports, 'errors' | 'output' | 'env'>,
  flags: GlobalFlags,
): Promise<void> {
  if (mode !== 'table' || !errors.isTTY || !output.isTTY || flags.quiet) return;
  const command = commandOf(summary, flags);
  if (command === null) return;
  const style = await styleForErrors({ errors, env }, flags);
  await errors.write(`\nNext: ${style.accent(command)}\n`);
}

function commandOf(
  { batch, pending, states, resume_command: resume }: Summary,
  where: GlobalFlags,
): string | null {
  if (resume !== null) return null;
  if (states.needs_review !== undefined)
    return batchCommand('export', batch, where, '--state', 'needs_review');
  return pending === 0 ? null : batchCommand('resume', batch, where, '--wait');
}
