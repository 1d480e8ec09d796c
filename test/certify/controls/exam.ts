import { fileURLToPath } from 'node:url';
import { type ClientFindings, type ExamSettings, examine } from '../../../src/certify/run/examine.js';
import { runOnce } from '../../../src/certify/run/run-once.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { makeTemporaryFolder } from '../../../src/runtime/temporary-folder.js';
import { world } from '../../support/svc.js';

const CLIENTS = fileURLToPath(new URL('clients/', import.meta.url));

export function controlCommand([file = '', ...args]: readonly string[]): string[] {
  const program = file.endsWith('.py') ? 'python3' : process.execPath;
  return [program, `${CLIENTS}${file}`, ...args];
}

export async function examined(
  command: readonly string[],
  {
    only = [],
    before = null,
    ...settings
  }: Partial<ExamSettings> & { readonly only?: readonly string[]; readonly before?: string | null } = {},
): Promise<ClientFindings & { readonly notes: readonly string[] }> {
  const home = world();
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.home };
  const ports = { ...home.ports, clock: systemClock, env };
  const folder = makeTemporaryFolder('svc-controls-', ports.random);
  const notes: string[] = [];
  const nothing = (): void => undefined;
  try {
    const place = { ports, command, before, folder, salt: 'salt' };
    const whole: ExamSettings = {
      ...{ points: 2, mayRerun: false, jobs: 1, limitMs: 60_000, runCase: (plan) => runOnce(place, plan) },
      ...settings,
      isWanted: (id) => only.length === 0 || only.some((beginning) => id.startsWith(beginning)),
    };
    const note = (text: string): void => void notes.push(text);
    const findings = await examine(place, whole, { count: nothing, note });
    return { ...findings, notes };
  } finally {
    folder.remove();
    home.remove();
  }
}

export function brokenRules({ cases }: Pick<ClientFindings, 'cases'>): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { theCase, broken } of cases)
    for (const { rule, severity, isExplained } of broken)
      if (!isExplained) (found[`${severity} ${rule}`] ??= []).push(theCase.id);
  return found;
}
