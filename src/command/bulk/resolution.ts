/** `svc batches resolve`: takes down what a person decided about a row that nothing else can settle, once the service bears it out. */
import { DECIDABLE, decideRow, type Decision } from '../../bulk/run/decision.js';
import type { OperationClaims } from '../../bulk/run/delivery.js';
import type { Batch, BatchStore, ShownRow } from '../../bulk/store/batch-store.js';
import { assertBalanced } from '../../bulk/tally.js';
import { conclude } from '../../client/conclusion.js';
import { isoSeconds } from '../../runtime/clock.js';
import { escapeText } from '../../output/escape.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags, House } from '../base.js';
import { failureOf } from '../call/conclusion-failure.js';
import { isPersonThere } from '../line/interaction.js';
import { readAnswer } from '../line/question.js';
import { printerOfAnything } from '../printer.js';
import type { Session } from '../session/session.js';
import { claimsOf, ROWS } from './delivery.js';
import { summaryOf } from './end.js';
import { withBatch } from './opening.js';
import { refusePaid } from './payments.js';

export interface ResolveFlags extends GlobalFlags {
  readonly reference: string;
  /** The operation that the row became; without it the row became none. */
  readonly operation?: string | undefined;
  /** Operations that the events hold and that are other payments. */
  readonly 'other-than'?: readonly string[] | undefined;
}

const PAGE_ROWS = 1000;

/** Prints how the batch stands then. Nothing is sent. @throws Failure by the table of exit codes */
export async function resolveRow(house: House, name: string, flags: ResolveFlags): Promise<void> {
  const { ports } = house;
  const printer = await printerOfAnything(ports, flags);
  await withBatch(house, name, flags, 1, async ({ batch, store, session }) => {
    const row = await rowOf(batch, store, flags.reference);
    const decision: Decision =
      flags.operation === undefined
        ? { kind: 'not_paid' }
        : {
            kind: 'operation',
            operation: await readOperation(batch, flags.operation, { house, flags, session }),
          };
    const nowMs = ports.clock.now();
    const result = decideRow(row, decision, isoSeconds(nowMs));
    if ('refusal' in result) throw refused('operation_differs', `${result.refusal} The row stays as it was.`);
    await requireFree(result.operation, store);
    const { state, operation } = result;
    // A retry pays what counts as failed, whoever said that it did.
    if (state === 'failed') await refusePaid(batch, row, { house, flags, session, store });
    if (decision.kind === 'not_paid' && session.environment === 'live' && !flags.yes)
      await confirm(row, ports, flags);
    await store.decide(batch.id, result, {
      ...{ number: row.number, decision: decision.kind, state, operation, decidedAtMs: nowMs },
    });
    const tally = await store.tally(batch.id);
    assertBalanced(batch, tally);
    await printer.answer(Buffer.from(JSON.stringify(summaryOf(name, batch, tally, flags))));
  });
}

interface Asking {
  readonly house: House;
  readonly flags: ResolveFlags;
  readonly session: Session;
}

/** @throws Failure `not_found`, `unsafe` for a row that waits for nobody */
async function rowOf(batch: Batch, store: BatchStore, reference: string): Promise<ShownRow> {
  for (let after = -1; ;) {
    const rows = await store.rows(batch.id, after, PAGE_ROWS);
    const row = rows.find((one) => one.reference === reference);
    if (row !== undefined && (DECIDABLE as readonly string[]).includes(row.state)) return row;
    if (row !== undefined) {
      const text = `The row ${reference} stands at ${row.state}: nobody has to decide about it. Nothing was changed.`;
      throw refused('not_decidable', text);
    }
    const last = rows.at(-1);
    if (last === undefined)
      throw new Failure('not_found', `Batch ${batch.name} has no row with the reference ${reference}.`);
    after = last.number;
  }
}

/** @throws Failure by the table of exit codes where the service does not show it */
async function readOperation(
  { direction }: Batch,
  id: string,
  { house, flags, session }: Asking,
): Promise<OperationClaims> {
  const conversation = await session.client.call(ROWS[direction].get, { id }, { signal: house.ports.signal });
  const conclusion = conclude(conversation);
  const [last] = conversation.attempts.slice(-1);
  const operation = last?.kind === 'success' ? claimsOf(last.value) : null;
  if (operation === null) throw failureOf(conclusion, conversation, house, flags);
  return operation;
}

/** @throws Failure `unsafe` where nobody said yes; Stopped */
async function confirm(row: ShownRow, ports: Ports, flags: ResolveFlags): Promise<void> {
  const { reference, amount, currency } = row;
  const isAsked = isPersonThere(ports, { 'no-input': flags['no-input'] });
  if (isAsked) {
    const what = escapeText(`${reference}, ${currency} ${amount}`);
    await ports.errors.write(`LIVE: real money. A retry pays it then: ${what}\nIt was not paid? Type yes: `);
    const answer = await readAnswer(ports, 'Nothing was changed.');
    if (answer?.trim().toLowerCase() === 'yes') return;
  }
  throw refused('not_confirmed', 'It was not confirmed; a script says --yes. Nothing was changed.');
}

/** @throws Failure `unsafe` where another row is settled with the operation */
async function requireFree(operation: string | null, store: BatchStore): Promise<void> {
  const [holder] = operation === null ? [] : await store.holders(operation);
  if (holder === undefined) return;
  const text = `That operation is line ${holder.line} of batch ${holder.batch}. The row stays as it was.`;
  throw refused('operation_taken', text);
}

function refused(code: string, message: string): Failure {
  return new Failure('unsafe', message, { code, outcome: 'not_sent' });
}
