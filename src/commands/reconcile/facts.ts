/** What was compared with what, for a report; and whose days and moments they are. */
import { momentText } from '../../contract/notation.js';
import { serviceAddressOf } from '../../cli/session/address.js';
import type { SessionRun } from '../../cli/session/session.js';
import { mapOf } from '../../reconcile/file/plan-words.js';
import type { ReportFacts } from '../../reconcile/report/document.js';
import { daysText, feeText, toleranceText, type MatchRules } from '../../reconcile/rules.js';
import { UTC, type Zone } from '../../runtime/clock.js';
import type { ReconcileFlags } from './flags.js';
import type { ServiceSide } from './known.js';
import type { Ledger } from './ledger.js';

/** Whose days count: those of whoever reads, or UTC. */
export function zoneOf({ ports, flags }: SessionRun<ReconcileFlags>): Zone {
  return flags.utc ? UTC : ports.zone;
}

export function momentOrNull(ms: number | null): string | null {
  return ms === null ? null : momentText(ms);
}

export function factsOf(
  run: SessionRun<ReconcileFlags> & { readonly rules: MatchRules },
  { name, plan }: Ledger,
  { knownUntilMs }: ServiceSide,
): ReportFacts {
  const { session, flags, ports, rules } = run;
  const { environment, address } = serviceAddressOf(session);
  const { from, to, tolerances, fees, days } = rules;
  const tolerated = [
    ...tolerances.map(toleranceText),
    ...fees.map(feeText),
    ...(days > 0 ? [daysText(days)] : []),
  ];
  const optional = (label: string, value: string): [string, string][] =>
    value === '' ? [] : [[label, value]];
  return [
    ['Your file', name],
    ['Columns', mapOf(plan)],
    ['Service', `${environment}, ${address}`],
    ['Days', from === null && to === null ? 'all' : `${from ?? 'the first'} to ${to ?? 'the last'}`],
    ...optional('Direction', flags.direction ?? ''),
    ['Tolerances', tolerated.length === 0 ? 'none' : tolerated.join(', ')],
    ['Events known up to', momentOrNull(knownUntilMs) ?? 'none'],
    ['Made', momentText(ports.clock.now())],
  ];
}
