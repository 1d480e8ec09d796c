import type { Evidence } from '../known/payments.js';
import { isOneOf, PAID_STATES } from '../../storage/batches/row-state.js';
import { decideContradicted } from '../known/row-outcome.js';
import type { OtherRow } from '../../storage/batches/row.js';
import type { Environment } from '../../contract/access.js';
import { referenceMark } from '../../contract/marks.js';
import { isSameId } from '../../contract/notation.js';
import { CONTRADICTED, isFinal } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Journal } from '../../storage/journal/journal.js';
import { keepContradiction } from '../../feed/contradictions.js';
import type { Mirror } from '../../storage/mirror/mirror.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { lookUp } from '../../command/read.js';
import type { Run, SessionRun } from '../../command/command.js';
import { isPersonThere, typesYes } from '../../command/line/terminal.js';
import type { Where } from '../../session/place-flags.js';

export interface EndStores {
  readonly environment: Environment;
  readonly mirror: Mirror;
  readonly journal: Journal;
}

export async function recordEnd(operation: OperationFacts, stores: EndStores, run: Run): Promise<void> {
  const { id, status } = operation;
  const { mirror, journal } = stores;
  const rows = await rowsOf(operation, stores, run);
  const event = (await mirror.ofIds([id])).get(id);
  const requests = await journal.withOperations([id]);
  const statuses = [
    ...[status, event?.ends === 'both' ? CONTRADICTED : event?.status],
    ...[...requests.map(({ settled }) => settled?.status), ...rows.map((row) => row.status)],
  ];
  const hasBothEnds = statuses.includes('confirmed') && statuses.includes('failed');
  if (!hasBothEnds && !statuses.includes(CONTRADICTED))
    throw undecidedFailure(
      'not_decidable',
      `Operation ${id} is ${status}, and nothing says otherwise: there is nothing to decide.`,
    );
  if (!isFinal(status))
    throw undecidedFailure(
      'operation_pending',
      `Operation ${id} is ${status} now. Run this again once it is final.`,
    );
  await keepContradiction(mirror, operation, 'told');
  await journal.setStatus(id, status);
  if (rows.length > 0) await recordRowEnds(operation, rows, run);
}

async function rowsOf(
  { id, direction, reference }: OperationFacts,
  { environment }: EndStores,
  { app }: Run,
): Promise<OtherRow[]> {
  const stores = await app.stores();
  if (direction === null || reference === null || !stores.has('batches')) return [];
  const rows = await stores.rowsOfReference({ environment, direction }, referenceMark(reference));
  return rows.filter((row) => isSameId(row.operation ?? '', id));
}

async function recordRowEnds(operation: OperationFacts, rows: readonly OtherRow[], run: Run) {
  const decidedAtMs = run.ports.clock.now();
  await using store = await (await run.app.stores()).openBatches();
  for (const { batch: name, referenceMark: mark } of rows) {
    const batch = await store.find(name);
    const row = batch === null ? null : await store.rowOfMark(batch.id, Buffer.from(mark, 'hex'));
    if (batch === null || row === null) continue;
    const result = decideContradicted(row, batch, operation, isoSeconds(decidedAtMs));
    const { number, state } = result;
    const decision = { number, decision: 'operation', state, operation: row.operation } as const;
    await store.decide(batch.id, result, { ...decision, decidedAtMs });
  }
}

export async function requireOperation(id: string, run: SessionRun<Where>): Promise<OperationFacts> {
  const answer = await lookUp(id, run);
  if (answer !== null) return answer.operation;
  const facts = { code: 'not_found', outcome: 'sent' } as const;
  throw new Failure('not_found', `The service has no operation ${id}. Nothing was changed.`, facts);
}

export async function confirmUnpaid({ ports, flags }: Run, question: () => Promise<string>): Promise<void> {
  const hasPerson = isPersonThere(ports, { 'no-input': flags['no-input'] });
  if (hasPerson) {
    await ports.errors.write(await question());
    if (await typesYes(ports, 'Nothing was changed.')) return;
  }
  throw undecidedFailure(
    'not_confirmed',
    hasPerson ? 'Not confirmed.' : 'Not confirmed. In a script, add --yes.',
  );
}

export function undecidedFailure(code: string, why: string, nextCommand?: string): Failure {
  const facts = { code, outcome: 'not_sent', nextCommand } as const;
  return new Failure('unsafe', `${why} Nothing was changed.`, facts);
}

export function refusePending(
  { rows }: Evidence,
  goneOperation: string | null,
  followCommand: (batch: string) => string,
): void {
  const row = rows.find(
    ({ operation, state, status }) =>
      operation === goneOperation && isOneOf(PAID_STATES, state) && !isFinal(status ?? 'confirmed'),
  );
  if (row === undefined) return;
  const nextCommand = followCommand(row.batch);
  const text = `Batch ${row.batch} waits for operation ${goneOperation}. Nothing was changed. Follow it there first: ${nextCommand}`;
  throw new Failure('unsafe', text, { code: 'reference_pending', outcome: 'not_sent', nextCommand });
}
