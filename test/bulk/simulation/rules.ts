/** The rules of money, and for each the program without it: a control plays the same histories with that. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildProgram, type Change } from '../../support/variant.js';
import type { Program } from './program.js';

const EVIDENCE = 'src/bulk/check/evidence.ts';
const FINDING = 'src/bulk/check/finding.ts';
const KNOWLEDGE = 'src/cli/bulk/knowledge.ts';
const STORE = 'src/bulk/store/sqlite-store.ts';
const VERDICT = 'src/bulk/run/verdict.ts';
const KEY = 'src/bulk/key.ts';

const inFile = (file: string, ...changes: Change['changes']): Change => ({ file, changes });

/** What is broken in the sources to put a rule out. */
const WITHOUT = {
  feed: [
    inFile(
      KNOWLEDGE,
      ['open.proved.ofReferences(direction, folded, held)', 'Promise.resolve(new Map())'],
      ['open.proved.ofIds(ids)', 'Promise.resolve(new Map())'],
    ),
  ],
  store: [inFile(STORE, ['selectOthers(db, batch, recordOf(db, batch), marks)', '[]'])],
  singles: [
    inFile(
      KNOWLEDGE,
      ['singles.of(await journal.ofReferences({ environment, direction, referenceMarks }))', '[]'],
      ['const all = await journal.behind(lastRow);', 'const all = [];'],
    ),
    inFile('src/cli/create/batch-rows.ts', ['if (referenceMark === null) return [];', 'return [];']),
  ],
  'reference in the key': [
    inFile(KEY, [
      'foldedPart(reference);\n  const parts = [SCHEME',
      'foldedPart(`${arguments[0].name} ${reference}`);\n  const parts = [SCHEME',
    ]),
  ],
  'folding in the key': [inFile(KEY, ['= foldForKey(reference);', '= reference;'])],
  'folding in the feed': [
    inFile(EVIDENCE, [
      'operations: operations.get(reference) ?? []',
      'operations: (operations.get(reference) ?? []).filter((one) => asking.some((row) => row.reference === one.reference))',
    ]),
  ],
  // Bound to nothing, as a flag that says "pay again" is.
  'new since': [
    inFile('src/cli/bulk/run.ts', [
      'const sinceMs = since?.ms ?? null;',
      'const sinceMs = since === null ? null : ports.clock.now();',
    ]),
  ],
  'strict skip': [
    inFile(FINDING, [
      "return { kind: 'paid', payments: others, isSkippable };",
      "return skipsPaid ? { kind: 'send' } : { kind: 'paid', payments: others, isSkippable };",
    ]),
  ],
  'skipped is earlier': [
    inFile(FINDING, [
      'standing: skippedStanding(claimsOfPayment(only)) };',
      "standing: { ...skippedStanding(claimsOfPayment(only)), state: 'confirmed' } };",
    ]),
  ],
  // Whoever reads that it was paid earlier follows nothing.
  'skipped is pending': [
    inFile(VERDICT, [
      'if (isFinal(operation.status)) return olderStanding(operation, SKIPPED_AS_PAID);',
      'return olderStanding(operation, SKIPPED_AS_PAID);',
    ]),
  ],
  'first here': [
    inFile(STORE, ['turn(() => selectConfirmed(db, environment, company))', 'Promise.resolve(true)']),
  ],
  'own key': [
    inFile('src/journal/precedence.ts', [
      "return mayLeaveAgain(age) ? { kind: 'known', request } : { kind: 'key_used', request, age };",
      "return { kind: 'new' };",
    ]),
  ],
  '23 hours': [
    inFile('src/contract/moment.ts', [
      "return age.kind === 'known' && age.ms <= KEY_SAFE_MS;",
      "return age.kind === 'known';",
    ]),
    inFile('src/journal/request.ts', [
      'return ageMs <= KEY_SAFE_MS && ageMs >= -SERVICE_CLOCKS_MS;',
      'return true;',
    ]),
  ],
  'retry asks': [
    inFile(
      'src/bulk/check/clearance.ts',
      ['asking.isRetry ? [...SENDABLE, ...RETRIABLE] : SENDABLE', 'SENDABLE'],
      ['await refuseNewSingles(batch, left, world);', ''],
    ),
  ],
  'earlier by status': [
    inFile(
      VERDICT,
      ['return olderStanding(operation);', "return { ...olderStanding(operation), state: 'earlier' };"],
      [
        'if (!isFinal(operation.status)) return null;',
        "if (!isFinal(operation.status) || standing.state === 'earlier') return null;",
      ],
    ),
  ],
  'ten minutes': [
    inFile(VERDICT, [
      'return olderStanding(operation);',
      "return { ...olderStanding(operation), ...(operation.status === 'confirmed' ? { state: 'confirmed' } : {}) };",
    ]),
  ],
  '24 hours': [
    inFile(FINDING, [
      "return olderStanding(claims, 'later_payment');",
      "return { ...olderStanding(claims, 'later_payment'), state: 'confirmed' };",
    ]),
  ],
  'age of the control': [
    inFile(STORE, [
      'turn(() => selectPaidBefore(db, environment, company, beforeMs))',
      'turn(() => { const any = selectPaidBefore(db, environment, company, Number.MAX_SAFE_INTEGER); return any && { ...any, sentAtMs: beforeMs }; })',
    ]),
  ],
  'forgotten marks': [
    inFile('src/journal/sqlite-journal.ts', [
      'turn(() => forget(db, key))',
      "turn(() => { const count = forget(db, key); db.run('DELETE FROM requests'); return count; })",
    ]),
  ],
  // By the wall clock of this machine alone: any other would have told.
  'service clock': [
    inFile('src/contract/moment.ts', ["then.bootId !== '' && then.bootId === now.bootId", 'false']),
    inFile('src/client/service-clock.ts', [
      'wallMs: this.#clock.now(), serviceMs: this.#provedMs(boot)',
      'wallMs: this.#clock.now(), serviceMs: this.#clock.now()',
    ]),
    inFile('src/cli/bulk/sending.ts', [
      'moment: () => clock.moment(),',
      'moment: () => ({ ...clock.moment(), serviceMs: clock.moment().wallMs }),',
    ]),
  ],
  overlap: [
    inFile('src/mirror/reading.ts', [
      'if (!isUnfinished ||',
      'if (cursor !== null) return { from: { cursor, upToMs: newestMs ?? 0 }, isLoose: false }; if (!isUnfinished ||',
    ]),
  ],
  'no refusal after an open attempt': [
    inFile(VERDICT, [
      "isOpen(before, attempts) ? 'unknown' : isDenied(last)",
      "isOpen(before, attempts) && isDenied(last) ? 'unknown' : isDenied(last)",
    ]),
  ],
  'failed tries': [
    inFile('src/bulk/run/decision.ts', ['if (isFailed && !isOwn && !isReused && !isOfKey)', 'if (false)']),
  ],
  generations: [
    inFile('src/bulk/check/identity.ts', [
      'return 1 + Math.max(failed.size, ...tried.map(({ generation }) => generation));',
      'return 1;',
    ]),
  ],
  'company of a lost mirror': [
    inFile('src/mirror/company.ts', [
      "return (await ask(operation, read)) === 'there' ? 'same' : 'unknown';",
      "return 'other';",
    ]),
  ],
} as const satisfies Readonly<Record<string, readonly Change[]>>;

export type Rule = keyof typeof WITHOUT;
export const RULES = Object.keys(WITHOUT) as readonly Rule[];

const CONTENTS = `
export { run } from './src/main.js';
export { NotAnswered } from './src/runtime/transport.js';
`;

const built = new Map<Rule, Promise<Program>>();

/** The program without that rule; built once. */
export function programWithout(rule: Rule): Promise<Program> {
  const program = built.get(rule) ?? buildWithout(rule);
  built.set(rule, program);
  return program;
}

async function buildWithout(rule: Rule): Promise<Program> {
  const name = `without-${rule.replaceAll(' ', '-')}`;
  const path = await buildProgram(name, CONTENTS, WITHOUT[rule], { isOneFile: true });
  try {
    return (await import(path)) as Program;
  } finally {
    rmSync(dirname(path), { recursive: true });
  }
}
