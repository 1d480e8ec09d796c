import type { LedgerLine } from '../../../src/reconcile/line.js';
import type { StatementOptions } from '../../../src/reconcile/file/plan.js';
import { readStatement } from '../../../src/reconcile/file/statement.js';
import type { FileSource } from '../../../src/sheet/file-source.js';
import { UTC, type Zone } from '../../../src/runtime/clock.js';

export const NOTHING_SAID: StatementOptions = {
  ...{ map: null, delimiter: null, decimal: null, encoding: null, sheet: null, dateFormat: null },
};

export interface Arrival {
  readonly pieceBytes?: number;
  readonly isRepeatable?: boolean;
  readonly zone?: Zone;
  readonly currency?: string;
  readonly onPiece?: () => void;
}

export function sourceOf(content: string | Uint8Array, arrival: Arrival = {}): FileSource {
  const { pieceBytes = 64 * 1024, isRepeatable = true, onPiece } = arrival;
  const bytes = Buffer.from(content);
  const pieces = async function* (): AsyncGenerator<Uint8Array, void, void> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      await Promise.resolve();
      onPiece?.();
      yield bytes.subarray(at, at + pieceBytes);
    }
  };
  const once = pieces();
  return {
    ...{ name: 'bank.csv', undone: 'Nothing was reconciled.', isRepeatable, fd: null },
    bytes: () => (isRepeatable ? pieces() : once),
    requireUnchanged: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

export async function readWhole(
  content: string | Uint8Array,
  options: Partial<StatementOptions> = {},
  arrival: Arrival = {},
) {
  const source = sourceOf(content, arrival);
  const world = { zone: arrival.zone ?? UTC, currency: arrival.currency ?? null };
  const statement = await readStatement(source, { ...NOTHING_SAID, ...options }, world);
  const lines: LedgerLine[] = [];
  for await (const line of statement.lines) lines.push(line);
  const ending = statement.ending();
  if (ending === null) throw new Error('a reading that ended says how');
  return { plan: statement.plan, lines, ending };
}
