import { ERRORS } from '../contract/errors.js';
import { FAILURES, REASON_MEANINGS } from '../contract/failures.js';
import type { RowStatus } from '../storage/batches/row.js';
import { RETRIABLE, SENDABLE } from '../storage/batches/row-state.js';
import type { Batch, BatchStore } from '../storage/batches/batch-store.js';
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

export async function printSummary(
  summary: Summary,
  shownBatch: ShownBatch,
  printer: Pick<Printer, 'mode' | 'answer'>,
  more: object = {},
): Promise<void> {
  const facts = { ...summary, ...more };
  const { environment } = shownBatch.batch;
  const answer =
    printer.mode === 'table' ? { environment, ...facts, ...(await problemsOf(summary, shownBatch)) } : facts;
  await printer.answer(Buffer.from(JSON.stringify(answer)));
}

async function problemsOf({ failed, rejected, states }: Summary, { batch, store, where }: ShownBatch) {
  const { id, name } = batch;
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
  const hasReviewRows = states.needs_review !== undefined;
  if (resume !== null || (!hasReviewRows && pending === 0)) return;
  const command = hasReviewRows
    ? batchCommand('export', batch, flags, '--state', 'needs_review')
    : batchCommand('resume', batch, flags, '--wait');
  const style = await styleForErrors({ errors, env }, flags);
  const lines = [`Next: ${style.accent(command)}`, ...(hasReviewRows ? decisionLines(batch, flags) : [])];
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

const RETRY_LATER = 'retry it later';

const ADVICE: Readonly<Record<string, string>> = {
  invalid_account: 'correct the account',
  account_closed: 'ask for another account',
  account_blocked: 'ask for another account',
  beneficiary_mismatch: 'correct the name, document or account',
  invalid_phone: 'correct the phone',
  invalid_bank: 'correct the bank',
  invalid_document: 'correct the document',
  counterparty_rejected: 'ask for another account',
  payer_insufficient_funds: 'retry it when the payer has funds',
  no_mandate: 'get the authorization, then retry it',
  mandate_revoked: 'get the authorization, then retry it',
  mandate_required: 'get the authorization, then retry it',
  amount_over_limit: 'pay a smaller amount',
  daily_limit: 'retry it tomorrow',
  limit_exceeded: 'pay a smaller amount, or retry it tomorrow',
  outside_hours: 'retry it in banking hours',
  invalid_data: 'correct the data',
  expired: 'retry it if it is still due',
  cancelled: 'retry it if it is still due',
  bank_offline: RETRY_LATER,
  timeout: RETRY_LATER,
  temporarily_unavailable: RETRY_LATER,
  body_invalid: 'correct the row',
  field_required: 'fill in the field',
  field_invalid: 'correct the field',
  method_unavailable: 'use another method, or retry it later',
  bank_unsupported: 'use another bank or method',
  amount_out_of_range: 'correct the amount',
  currency_unsupported: 'correct the currency',
  country_unsupported: 'correct the country',
};

export function adviceFor({ code, detail }: Pick<RowStatus, 'code' | 'detail'>) {
  const words = [detail ?? '', code ?? ''];
  const advice = words.map((word) => valueNamed(ADVICE, word)).find((text) => text !== undefined);
  return { reason: reasonOf(code ?? '', detail ?? ''), advice: advice ?? 'ask the service, then retry it' };
}

function reasonOf(code: string, detail: string): string {
  const reason = detail === 'other' ? undefined : valueNamed(REASON_MEANINGS, detail);
  if (reason !== undefined) return reason;
  const isCodeOrEmpty = detail === '' || valueNamed(REASON_MEANINGS, detail) !== undefined;
  const meaning = (valueNamed(FAILURES, code) ?? valueNamed(ERRORS, code))?.meaning ?? code;
  return isCodeOrEmpty ? meaning : detail;
}

function valueNamed<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
