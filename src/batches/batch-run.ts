import type { ClearanceQuestion, ClearanceWorld } from './check/clearance.js';
import type { NextCommands } from './check/paid-rows.js';
import { isOneOf, type RowState } from '../storage/batches/row-state.js';
import type { Batch, KeptSignature, BatchStore } from '../storage/batches/batch-store.js';
import type { PlanHead } from './approval/plan/format.js';
import { isRepeatable } from '../storage/journal/request.js';
import { repeatLine } from '../command/ending.js';
import { listLine, resolveLine } from '../payments/refusals.js';
import { commandLine, flagWords, svcLine } from '../runtime/shell.js';
import { isPersonThere } from '../command/line/terminal.js';
import { withFlags, withoutFlags } from '../command/line/typed-words.js';
import { whereFlags } from '../session/place-flags.js';
import type { Printer } from '../command/printer.js';
import type { SessionRun } from '../command/command.js';
import type { Totals } from './confirm.js';
import { operationReader, ENDPOINTS } from './run/attempts.js';
import { batchCommand } from './ending.js';
import type { SendingOptions, SendingFlags } from './flags.js';
import type { OpenKnowledge } from './check/knowledge.js';
import { rowBlocks } from '../storage/batches/row-blocks.js';
import type { SendingFacts } from '../session/guard/decision.js';

export interface BulkJob extends SessionRun<SendingFlags> {
  readonly sending: SendingOptions;
  readonly store: BatchStore;
  readonly printer: Printer;
  readonly sources: OpenKnowledge;
  readonly approvedPlan?: ApprovedPlan;
}

export interface ApprovedPlan {
  readonly head: PlanHead;
  readonly approvals: number;
  readonly hasExpired: boolean;
  readonly signatures: readonly KeptSignature[];
}

export function clearanceWorld(
  job: Pick<BulkJob, 'store' | 'sources' | 'session' | 'ports'>,
): ClearanceWorld {
  const { store, sources, session, ports } = job;
  const { clock } = session;
  return {
    ...{ store, knowledge: sources.knowledge, clock, signal: ports.signal },
    read: (direction, id) => operationReader(session, direction)(id),
    isRepeatable: (madeMs) => {
      const ageMs = clock.sinceMs(madeMs);
      return ageMs !== null && isRepeatable(ageMs);
    },
    note: (text) => session.note(text),
  };
}

export function clearanceQuestion(
  { name }: Batch,
  job: BulkJob,
  states: readonly RowState[],
  plansFile: boolean,
): ClearanceQuestion {
  const line = (verb: string, ...words: string[]): string => batchCommand(verb, name, job.flags, ...words);
  const listAndDrop = isOneOf(states, 'failed')
    ? [line('export', '--state', states.join(','))]
    : [line('export', '--state', 'not_sent'), line('drop')];
  const commands = { ...refusalCommands(job, plansFile), ...(!plansFile && { listAndDrop }) };
  return { states, skipsPaid: job.sending.skipsPaid, commands };
}

export function refusalCommands(run: SessionRun<SendingFlags>, plansFile: boolean): NextCommands {
  const { flags, session } = run;
  return {
    resume: (batch, words = []) => batchCommand('resume', batch, flags, ...words),
    repeatRequest: (key) => repeatLine(key, run),
    recordOutcome: (key) => resolveLine(key, run),
    showOperation: (operation) => svcLine('transactions get', whereFlags(flags), [operation]),
    listPayments: (reference) => listLine(reference, flags),
    withWords: (words, totals) => retypedLine(words, totals, run),
    takesSince: plansFile && !flags['skip-paid'],
    resetSandbox:
      session.environment === 'sandbox'
        ? svcLine('sandbox reset', whereFlags({ 'base-url': flags['base-url'] }))
        : null,
  };
}

function retypedLine(words: readonly string[], totals: Totals | null, run: SessionRun<SendingFlags>): string {
  const { typed, ports, flags, session } = run;
  const isScript = session.environment === 'live' && !isPersonThere(ports, { 'no-input': flags['no-input'] });
  const mustConfirm = isScript || flags['confirm-total'] !== undefined;
  const totalWords = [...(mustConfirm ? (totals ?? []) : [])].flatMap(([currency, { total }]) =>
    flagWords('--confirm-total', `${currency}:${total}`),
  );
  const sinceWords = words.filter((word) => word === '--new-since');
  const lineWords = withoutFlags(typed, ['--confirm-total', ...sinceWords]);
  const distinctWords = lineWords.filter((word) => word !== '--skip-paid' || !words.includes(word));
  return commandLine(['svc', ...withFlags(distinctWords, [...words, ...totalWords])]);
}

export async function judgeBatch(
  batch: Batch,
  {
    isAdmitted,
    states,
    approvals = 0,
  }: { readonly isAdmitted: boolean; readonly states: readonly RowState[]; readonly approvals?: number },
  { store, session, ports }: Pick<BulkJob, 'store' | 'session' | 'ports'>,
): Promise<void> {
  const { client, guard } = session;
  if (!(await guard.hasRules())) return;
  const totals = new Map<string, { minor: bigint; decimals: number }>();
  for (const { currency, state, minor } of await store.tally(batch.id)) {
    if (!isOneOf(states, state)) continue;
    const { decimals = 0 } = batch.currencies.get(currency) ?? {};
    const sum = totals.get(currency)?.minor ?? 0n;
    totals.set(currency, { minor: sum + minor, decimals });
  }
  const sendingFacts: Partial<SendingFacts> = { isAdmitted, batchTotals: totals, approvals };
  const { create } = ENDPOINTS[batch.direction];
  for await (const rows of rowBlocks((after, count) => store.peek(batch.id, { after, count, states }))) {
    ports.signal.throwIfAborted();
    for (const { body, key } of rows)
      await guard.judge(client.prepare(create, { body }, key).request, sendingFacts);
  }
}
