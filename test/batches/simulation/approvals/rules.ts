/** The rules of an approval, and for each the program without it: a control plays the same histories with that. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Change } from '../../../../scripts/mutate/places.js';
import { buildProgram } from '../../../support/variant.js';
import type { Program } from '../program.js';

const inRoom = (room: string, within: Change['within'], ...changes: Change['changes']): Change => ({
  ...{ room, within, changes },
});

/** What is broken in the sources to put a rule out. */
export const WITHOUT = {
  'enough approvals': [
    inRoom('cli', 'requireApproved', ['if (approvals < needed.approvals)', 'if (approvals < 0)']),
    inRoom('guard', 'refusedByStartRules', [
      'if (approvals >= rules.approvals) return null;',
      'return null;',
    ]),
  ],
  'the maker is no approver': [
    inRoom('guard', 'countPeople', ['person === undefined || person === MAKER', 'person === undefined']),
  ],
  'one person counts once': [
    inRoom('guard', 'countPeople', ['} else if (counted.has(person)) {', '} else if (false) {']),
  ],
  'one more where nobody is named as the maker': [
    inRoom('guard', 'countPeople', [
      'maker === null ? Math.max(0, approvers.length - 1) : approvers.length',
      'approvers.length',
    ]),
  ],
  'the maker signs': [
    inRoom('cli', 'requireApproved', ['signers.maker === null', 'signers.maker === null && false']),
  ],
  'signatures of these bytes': [
    inRoom('cli', 'verifySignature', ['if (exitCode === 0)', 'if (exitCode !== null)']),
  ],
  'those who sign are on the list': [
    inRoom('cli', 'verifySignature', [
      'if (principals.exitCode !== 0)',
      "if (principals.exitCode !== 0) return { role, fingerprint, name: 'evil', names: [] }; if (false)",
    ]),
  ],
  'the end of a plan': [
    inRoom('guard', 'hasExpired', [
      'return !(serviceMs < Date.parse(until));',
      'return serviceMs === Date.parse(until);',
    ]),
  ],
  'the life of a plan': [
    inRoom('guard', 'planRefusal', [
      'validForMs !== null && !(untilMs - madeMs <= validForMs)',
      'validForMs === 0',
    ]),
  ],
  'the beginning of a plan': [
    inRoom('guard', 'planRefusal', ['if (!(madeMs <= serviceMs + SKEW_MS))', 'if (!(madeMs <= Infinity))']),
  ],
  'the address of a plan': [
    inRoom('guard', 'planRefusal', ['if (address !== place.address)', 'if (address === "")']),
  ],
  'asked again on resume': [
    inRoom('cli', 'withApproval', [
      'if (approval === null || !hasRowsToSend || job.approved !== undefined) return job;',
      'if (approval === null || !hasRowsToSend || arguments.length > 0) return job;',
    ]),
  ],
  // Signatures are asked again of what was rebuilt, so that either of the two is enough.
  'the digest of what was rebuilt, and whose signatures': [
    inRoom('cli', 'withPlanOfStore', [
      'if (plan.digest !== batch.approval.digest)',
      'if (plan.digest === "")',
    ]),
    inRoom('cli', 'requireApproved', ['batch.approval?.digest !== plan.digest', 'false']),
    inRoom('cli', 'verifySignature', ['if (exitCode === 0)', 'if (exitCode !== null)']),
  ],
  'other payments need a plan': [
    inRoom('guard', 'refusedByStartRules', [
      'if (approvals >= rules.approvals) return null;',
      'return null;',
    ]),
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
