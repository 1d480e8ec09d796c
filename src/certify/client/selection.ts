import { Failure } from '../../runtime/failure.js';
import type { ExamName } from '../report/report.js';

export function selectionOfCases(only: readonly string[], skip: readonly string[]) {
  const begins = (id: string, beginnings: readonly string[]): boolean =>
    beginnings.some((beginning) => id.startsWith(beginning));
  const isWanted = (id: string): boolean => (only.length === 0 || begins(id, only)) && !begins(id, skip);
  return { isWanted, leftOutOf: (ids: readonly string[]): string[] => ids.filter((id) => !isWanted(id)) };
}

/** Refuses a beginning that no case id has, because --skip with a typo would skip nothing. */
export function requireKnownCases(
  exam: ExamName,
  ids: string[],
  flags: Record<'only' | 'skip', string[]>,
): void {
  const isClient = exam === 'client';
  const isKnown = (beginning: string): boolean =>
    ids.some((id) => id.startsWith(beginning) || (isClient && beginning.startsWith(`${id}:`)));
  for (const [flag, beginnings] of Object.entries(flags)) {
    const unknown = beginnings.find((beginning) => beginning === '' || !isKnown(beginning));
    if (unknown === undefined) continue;
    const noEffectText = isClient ? 'Nothing was run.' : 'Nothing was sent.';
    throw new Failure('usage', `--${flag}: no case begins with ${JSON.stringify(unknown)}. ${noEffectText}`, {
      concernsMoney: isClient ? false : undefined,
      nextCommand: `svc certify list ${exam}`,
    });
  }
}
