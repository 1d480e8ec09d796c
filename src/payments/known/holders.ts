import type { FindHolder } from '../../client/client.js';
import { CONTRADICTED } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { ClaimedRow, Holder } from '../../storage/batches/row.js';
import type { Journal } from '../../storage/journal/journal.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import type { Where } from '../../session/place-flags.js';
import type { SessionRun } from '../../command/command.js';

export interface AnsweredCreate {
  readonly place: number | string;
  readonly referenceMark: Uint8Array | null;
  readonly wasSentBefore: boolean;
}

export interface HoldingStores {
  readonly journal: Pick<Journal, 'withOperations'>;
  readonly holders: (operations: readonly string[]) => Promise<readonly Holder[]>;
}

/** Looks up the records even of an operation that looks new, because its creation time may be wrong. */
export function holdersFor(
  { place, referenceMark, wasSentBefore }: AnsweredCreate,
  stores: HoldingStores,
  run: SessionRun<Where>,
): FindHolder {
  const findHolder: FindHolder = async (operation) => {
    const records = await recordsOf([operation.id], stores);
    const mayBeInFeed = wasSentBefore && (await run.app.stores()).has('mirrors');
    if (mayBeInFeed && (await isContradictedByFeed(operation, run))) return 'contradicted';
    if (records.some(({ status }) => status === CONTRADICTED)) return 'contradicted';
    const otherRecords = records.filter((one) => one.place !== place);
    const mark = hex(referenceMark);
    if (otherRecords.some((one) => one.mark !== mark)) return 'other';
    return otherRecords.length > 0 && mark !== '' ? 'same' : null;
  };
  return (operation) => ignoreBrokenStore(findHolder(operation), null);
}

interface AnsweredRow {
  readonly row: ClaimedRow;
  readonly operation: OperationFacts;
}

export async function rowsHeldElsewhere(
  answeredRows: readonly AnsweredRow[],
  batch: string,
  stores: HoldingStores,
): Promise<ClaimedRow[]> {
  const ids = answeredRows.map(({ operation }) => operation.id);
  const recordsById = Map.groupBy(await recordsOf(ids, stores), ({ operation }) => operation.toLowerCase());
  const isHeldElsewhere = ({ row, operation: { id } }: AnsweredRow): boolean =>
    recordsById.get(id.toLowerCase())?.some(({ place }) => place !== placeOf(batch, row.line)) === true;
  return answeredRows.filter(isHeldElsewhere).map(({ row }) => row);
}

async function recordsOf(ids: readonly string[], { journal, holders }: HoldingStores) {
  const [requests, rows] = await Promise.all([
    ignoreBrokenStore(journal.withOperations(ids), []),
    ignoreBrokenStore(holders(ids), []),
  ]);
  const requestRecords = requests.flatMap(({ row, referenceMark, settled }) =>
    settled === null ? [] : [{ ...settled, place: row, mark: hex(referenceMark) }],
  );
  const rowRecords = rows.map(({ operation, batch, line, referenceMark: mark }) => ({
    ...{ operation, place: placeOf(batch, line), mark, status: null },
  }));
  return [...requestRecords, ...rowRecords];
}

function ignoreBrokenStore<T>(read: Promise<T>, fallback: T): Promise<T> {
  return read.catch((error: unknown) => {
    if (error instanceof Failure && isDatabaseCode(error.facts.code)) return fallback;
    throw error;
  });
}

async function isContradictedByFeed({ id, status }: OperationFacts, run: SessionRun<Where>) {
  const [{ openMirror }, { markContradicted }] = await Promise.all([
    import('../../feed/open-mirror.js'),
    import('../../feed/contradictions.js'),
  ]);
  const openedMirror = await openMirror(run);
  const marking = markContradicted(openedMirror.mirror, openedMirror.provedMirror, new Map([[id, status]]));
  return (await marking.finally(() => openedMirror.close())).size > 0;
}

export function placeOf(batch: string, line: number): string {
  return `${batch} ${line}`;
}

function hex(mark: Uint8Array | null): string {
  return Buffer.from(mark ?? []).toString('hex');
}
