/** For each rule of an approval, the program without that rule. A control plays the same histories with that program. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Change } from '../../../../scripts/mutate/places.js';
import { buildProgram } from '../../../support/variant.js';
import type { Program } from '../program.js';

const broken = (within: Change['within'], ...changes: Change['changes']): Change => ({ within, changes });

export const WITHOUT = {
  'enough approvals': [
    broken('requireApproved', ['if (approvals < needed.approvals)', 'if (approvals < 0)']),
    broken('checkStartRules', ['if (approvals >= rules.approvals) return null;', 'return null;']),
  ],
  'the maker is no approver': [
    broken('countPeople', ['person === undefined || person === MAKER_PERSON', 'person === undefined']),
  ],
  'one person counts once': [
    broken('countPeople', ['} else if (countedPeople.has(person)) {', '} else if (false) {']),
  ],
  'one more where nobody is named as the maker': [
    broken('countPeople', [
      'maker === null ? Math.max(0, approvers.length - 1) : approvers.length',
      'approvers.length',
    ]),
  ],
  'the maker signs': [
    broken('requireApproved', ['signers.maker === null', 'signers.maker === null && false']),
  ],
  'signatures of these bytes': [broken('verifySignature', ['if (exitCode === 0)', 'if (exitCode !== null)'])],
  'those who sign are on the list': [
    broken('verifySignature', [
      'if (principals.exitCode !== 0)',
      "if (principals.exitCode !== 0) return { role, fingerprint, name: 'evil', names: [] }; if (false)",
    ]),
  ],
  'the end of a plan': [
    broken('hasExpired', [
      'return !(serviceMs < Date.parse(until));',
      'return serviceMs === Date.parse(until);',
    ]),
  ],
  'the life of a plan': [
    broken('planRefusal', ['validForMs !== null && !(untilMs - madeMs <= validForMs)', 'validForMs === 0']),
  ],
  'the beginning of a plan': [
    broken('planRefusal', ['if (!(madeMs <= serviceMs + SKEW_MS))', 'if (!(madeMs <= Infinity))']),
  ],
  'the address of a plan': [broken('planRefusal', ['if (address !== place.address)', 'if (address === "")'])],
  'asked again on resume': [
    broken('withApproval', [
      'if (approval === null || !hasRowsToSend || job.approvedPlan !== undefined) return job;',
      'if (approval === null || !hasRowsToSend || arguments.length > 0) return job;',
    ]),
  ],
  'the digest of what was rebuilt, and whose signatures': [
    broken('rebuildPlan', ['if (plan.digest !== batch.approval.digest)', 'if (plan.digest === "")']),
    broken('requireApproved', ['batch.approval?.digest !== plan.digest', 'false']),
    broken('verifySignature', ['if (exitCode === 0)', 'if (exitCode !== null)']),
  ],
  'other payments need a plan': [
    broken('checkStartRules', ['if (approvals >= rules.approvals) return null;', 'return null;']),
  ],
} satisfies Readonly<Record<string, readonly Change[]>>;

export type ApprovalRule = keyof typeof WITHOUT;
export const APPROVAL_RULES = Object.keys(WITHOUT) as readonly ApprovalRule[];

const CONTENTS = `
export { run } from './src/main.js';
export { NotAnswered } from './src/runtime/transport.js';
`;

export async function programWithoutApproval(rule: ApprovalRule): Promise<Program> {
  const name = `unapproved-${rule.replaceAll(/[^a-z]+/g, '-')}`;
  const path = await buildProgram(name, CONTENTS, WITHOUT[rule], { isOneFile: true });
  try {
    return (await import(path)) as Program;
  } finally {
    rmSync(dirname(path), { recursive: true });
  }
}
