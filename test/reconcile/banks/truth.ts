import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatementOptions } from '../../../src/reconcile/file/plan.js';
import { readStatement } from '../../../src/reconcile/file/statement.js';
import type { ComparedOperation } from '../../../src/reconcile/line.js';
import { openReconciler } from '../../../src/reconcile/match/match.js';
import { UTC } from '../../../src/runtime/clock.js';
import { Failure } from '../../../src/runtime/failure.js';
import { RULES } from '../match/given.js';
import { NOTHING_SAID, sourceOf } from '../file/reading.js';

export interface Payment {
  readonly id: string;
  readonly reference: string;
  readonly bank: string;
  readonly minor: number;
  readonly direction: 'payin' | 'payout';
  readonly date: string;
  readonly name: string;
  readonly currency: string;
  readonly status: string | null;
}

const AMOUNTS = [150_050, 98_000, 4_500, 1_234_567, 33_333, 720_010, 61_005, 250_000];

export const PAYMENTS: readonly Payment[] = AMOUNTS.map((minor, at) => ({
  id: `0192f0c4-1111-7aaa-8bbb-${String(at + 1).padStart(12, '0')}`,
  ...{ reference: `rent-${String(at + 1).padStart(4, '0')}`, bank: `7700${String(at + 11)}`, minor },
  ...{ direction: at < 6 ? 'payout' : 'payin', date: `2026-11-${String(13 + at)}` },
  name: 'Nombre Apellido',
  ...{ currency: 'VES', status: null },
}));

const FAILED: Payment = {
  ...PAYMENTS[0]!,
  ...{ id: PAYMENTS[0]!.id.replace(/1$/, '9'), reference: 'rent-0099', bank: '770099' },
};
export const NOT_PAID: readonly Payment[] = [
  FAILED,
  { ...FAILED, id: FAILED.id.replace(/9$/, '8'), reference: 'rent-0098', bank: '770098' },
];

export const OPERATIONS: readonly ComparedOperation[] = [...PAYMENTS, ...NOT_PAID].map(
  ({ id, reference, bank, minor, direction, date, currency }) => ({
    ...{ id, reference, bankReference: bank, direction, date, currency },
    amount: (minor / 100).toFixed(2),
    status: reference === 'rent-0099' ? 'failed' : reference === 'rent-0098' ? 'pending' : 'confirmed',
  }),
);

export interface Said extends Partial<StatementOptions> {
  readonly currency?: string;
  readonly direction?: 'payin' | 'payout';
}

export async function endingOf(bytes: Uint8Array, said: Said = {}): Promise<{ code: number; why: string }> {
  const { currency = null, direction = null, ...options } = said;
  const folder = mkdtempSync(join(tmpdir(), 'svc-banks-'));
  const work = openReconciler(join(folder, 'work.db'), { ...RULES, currency, direction });
  try {
    const statement = await readStatement(
      sourceOf(bytes),
      { ...NOTHING_SAID, ...options },
      { zone: UTC, currency },
    );
    for await (const line of statement.lines) work.addLines([line]);
    work.addOperations(OPERATIONS.filter((one) => direction === null || one.direction === direction));
    const settled = await work.settle();
    if (settled.kind === 'no_currency') return { code: 2, why: 'no currency' };
    const found = [...work.findings()].map((finding) => finding.class).filter((name) => name !== 'matched');
    return { code: settled.reconciliation.agrees ? 0 : 18, why: found.join(' ') };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { code: error.exitCode, why: error.message };
  } finally {
    work[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  }
}
