import { CLIENT_FAULTS, type ClientFault } from '../client/faults.js';
import type { ClientCase } from '../client/points.js';
import type { BrokenRule, ClientRule } from '../client/judge.js';
import type { Outcome } from './report.js';

export interface JudgedCase {
  readonly theCase: ClientCase;
  readonly broken: readonly BrokenRule[];
  readonly notJudged: string | null;
}

export function clientOutcome(
  { theCase: { id, fault }, broken, notJudged }: JudgedCase,
  repeat: (id: string) => string,
): Outcome {
  const row = CLIENT_FAULTS.find((one) => one.id === fault) ?? CLIENT_FAULTS[0];
  const head = { id, severity: row.severity, section: row.section, andSo: null };
  if (notJudged !== null)
    return { ...head, status: 'not_judged', rule: null, why: notJudged, requests: [], repeat: repeat(id) };
  const cause = broken.find(({ severity }) => severity === 'must') ?? broken[0];
  if (cause === undefined)
    return { ...head, status: 'passed', rule: null, why: null, requests: [], repeat: null };
  const { rule, severity, section, requests } = cause;
  const explainedText = otherRulesText(broken, cause, true);
  const alsoBrokenText = otherRulesText(broken, cause, false);
  return {
    ...{ id, severity, section, rule, requests },
    status: severity === 'must' ? 'failed' : 'advice',
    why: alsoBrokenText.length === 0 ? cause.why : `${cause.why} Also broken: ${alsoBrokenText}.`,
    andSo: explainedText.length === 0 ? null : explainedText,
    repeat: repeat(id),
  };
}

function otherRulesText(broken: readonly BrokenRule[], cause: BrokenRule, isExplained: boolean): string {
  const others = broken.filter((one) => one !== cause && one.isExplained === isExplained);
  return others.map(({ rule }) => rule).join(', ');
}

const FAULTS_SHOWN_FIRST: readonly ClientFault[] = ['lost-after', 'lost-before', 'e500'];

export function groupsOf(outcomes: readonly Outcome[]) {
  const brokenOutcomes = outcomes
    .filter(({ rule }) => rule !== null)
    .sort((one, other) => Number(one.status === 'advice') - Number(other.status === 'advice'));
  const rankOf = ({ id }: Outcome): number => {
    const at = FAULTS_SHOWN_FIRST.findIndex((fault) => id.startsWith(`${fault}:`));
    return at === -1 ? FAULTS_SHOWN_FIRST.length : at;
  };
  return [...Map.groupBy(brokenOutcomes, ({ status, rule }) => `${status} ${rule ?? ''}`).values()].map(
    (group) => ({
      rule: group[0]?.rule as ClientRule,
      outcomes: group.sort((one, other) => rankOf(one) - rankOf(other)),
    }),
  );
}

export function otherCases([first, ...others]: readonly Outcome[]): string[] {
  const paymentPart = (id: string): string => id.slice(id.indexOf(':'));
  return others.map(({ id }) =>
    id.includes(':') && paymentPart(id) === paymentPart(first?.id ?? '') ? id.slice(0, id.indexOf(':')) : id,
  );
}
