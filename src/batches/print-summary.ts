import { adviceFor } from './advice.js';
import { RETRIABLE, SENDABLE } from '../storage/batches/row-state.js';
import type { Batch } from '../storage/batches/batch.js';
import type { BatchStore } from '../storage/batches/batch-store.js';
import type { Where } from '../session/place-flags.js';
import { openPrinter, type Printer } from '../command/printer.js';
import { batchCommand, decisionLines, type Summary } from './ending.js';
import type { Ports } from '../runtime/ports.js';
import type { GlobalFlags } from '../command/command.js';
import { readerFor, styleForErrors } from '../command/line/terminal.js';

const SHOWN_ROWS = 20;

interface ShownBatch {
  readonly batch: Batch;
  readonly store: Pick<BatchStore, 'rows'>;
  readonly where: Where;
}

/** A person also sees the rows that were not paid. @param more members that are added to the summary */
export async function printSummary(
  summary: Summary,
  { batch, store, where }: ShownBatch,
  printer: Pick<Printer, 'mode' | 'answer'>,
  more: object = {},
): Promise<void> {
  const facts = { ...summary, ...more };
  const printed =
    printer.mode === 'table'
      ? { environment: batch.environment, ...facts, ...(await problemsOf(summary, batch, store, where)) }
      : facts;
  await printer.answer(Buffer.from(JSON.stringify(printed)));
}

async function problemsOf(
  { failed, rejected, states }: Summary,
  { id, name }: Batch,
  store: ShownBatch['store'],
  where: Where,
): Promise<object> {
  const count = failed + rejected;
  if (count === 0) return {};
  const rows = await store.rows(id, -1, SHOWN_ROWS, RETRIABLE);
  const problems = rows.map(({ line, reference, amount, currency, code, detail }) => ({
    ...{ line, reference, amount, currency },
    ...adviceFor({ code, detail }),
  }));
  const more = count - rows.length;
  const isOpen = SENDABLE.some((state) => states[state] !== undefined);
  const command = batchCommand('export', name, where, '--state', 'failed,rejected');
  return {
    problems,
    ...(isOpen ? {} : { retry_command: batchCommand('retry', name, where) }),
    ...(more > 0 ? { problems_left: more, problems_command: command } : {}),
  };
}

export async function printNextCommand(
  summary: Summary,
  { mode }: Pick<Printer, 'mode'>,
  { errors, output, env }: Pick<Ports, 'errors' | 'output' | 'env'>,
  flags: GlobalFlags,
): Promise<void> {
  if (mode !== 'table' || !errors.isTTY || !output.isTTY || flags.quiet) return;
  const { batch, pending, states, resume_command: resume } = summary;
  const isOfPerson = states.needs_review !== undefined;
  if (resume !== null || (!isOfPerson && pending === 0)) return;
  const command = isOfPerson
    ? batchCommand('export', batch, flags, '--state', 'needs_review')
    : batchCommand('resume', batch, flags, '--wait');
  const style = await styleForErrors({ errors, env }, flags);
  const lines = [`Next: ${style.accent(command)}`, ...(isOfPerson ? decisionLines(batch, flags) : [])];
  await errors.write(`\n${lines.join('\n')}\n`);
}

export function printerOfBatch(ports: Ports, flags: GlobalFlags): Promise<Printer> {
  return openPrinter(ports, flags, {
    table: async (body, nowMs) => {
      const { renderBatch } = await import('./view.js');
      return renderBatch(body, await readerFor(ports, flags, nowMs));
    },
  });
}
