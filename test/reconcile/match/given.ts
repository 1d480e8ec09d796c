import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding, FindingClass } from '../../../src/reconcile/finding.js';
import type { ComparedOperation, LedgerLine } from '../../../src/reconcile/line.js';
import { openReconciler, type SettleResult } from '../../../src/reconcile/match/match.js';
import type { MatchRules } from '../../../src/reconcile/rules.js';

export const RULES: MatchRules = {
  ...{ direction: null, currency: null, tolerances: [], fees: [], days: 0, from: null, to: null },
};

export function ledgerLine(line: number, about: Partial<LedgerLine> = {}): LedgerLine {
  return {
    ...{ line, id: null, reference: `order-${line}`, bankReference: null, direction: null },
    ...{ isNegative: false, currency: 'VES', amount: '10.00', date: '2026-11-02' },
    ...about,
  };
}

export function operation(number: number, about: Partial<ComparedOperation> = {}): ComparedOperation {
  return {
    ...{ id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`, direction: 'payout' },
    ...{ status: 'confirmed', reference: `order-${number}`, bankReference: null },
    ...{ currency: 'VES', amount: '10.00', date: '2026-11-02' },
    ...about,
  };
}

export async function settled(
  lines: readonly LedgerLine[],
  operations: readonly ComparedOperation[],
  rules: Partial<MatchRules> = {},
): Promise<{ settled: SettleResult; findings: readonly Finding[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-reconcile-'));
  const reconciling = openReconciler(join(folder, 'work.db'), { ...RULES, ...rules });
  try {
    reconciling.addLines(lines);
    reconciling.addOperations(operations);
    const answer = await reconciling.settle();
    return { settled: answer, findings: [...reconciling.findings()] };
  } finally {
    reconciling[Symbol.dispose]();
    rmdirSync(folder);
  }
}

export async function reconciled(...given: Parameters<typeof settled>) {
  const { settled: answer, findings } = await settled(...given);
  if (answer.kind !== 'settled') throw new Error(`nothing was compared: ${answer.kind}`);
  return { ...answer.reconciliation, findings };
}

export function short({ class: name, here, there }: Finding): readonly [FindingClass, number[], number[]] {
  return [name, here.map(({ line }) => line), there.map(({ id }) => numberOf(id))];
}

export function told(findings: readonly Finding[]): string {
  const texts = findings
    .map(short)
    .map(([name, here, there]) => `${name} ${here.join('+')}/${there.join('+')}`);
  return texts.join(', ');
}

export function numberOf(id: string): number {
  return Number(id.slice(-12));
}
