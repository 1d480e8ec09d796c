/** For each rule of money, the program without that rule. A control plays the same histories with that program. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Change } from '../../../scripts/mutate/places.js';
import { buildProgram } from '../../support/variant.js';
import type { Program } from './program.js';

const broken = (within: Change['within'], ...changes: Change['changes']): Change => ({ within, changes });

export const WITHOUT = {
  feed: [
    broken(
      'knowledgeOf',
      ['open.provedMirror.ofReferences(...query)', 'Promise.resolve(new Map())'],
      ['open.provedMirror.ofIds(ids)', 'Promise.resolve(new Map())'],
    ),
  ],
  store: [broken('openBatchStore', ['selectOthers(db, batch, record, marks)', '[]'])],
  singles: [
    broken(
      'knowledgeOf',
      ['singleReader.of(await journal.ofReferences({ environment, direction, referenceMarks }))', '[]'],
      ['const requests = await journal.afterRow(lastRow);', 'const requests = [];'],
    ),
    broken('#rows', ["if (!stores.has('batches')) return [];", 'return [];']),
  ],
  'reference in the key': [
    broken('deriveKey', ['foldedPart(reference);', 'foldedPart(`${arguments[0].name} ${reference}`);']),
  ],
  'folding in the key': [broken('foldedPart', ['= foldForKey(reference);', '= reference;'])],
  'folding in the feed': [
    broken('evidenceOf', [
      'operations: operations.get(reference) ?? []',
      'operations: (operations.get(reference) ?? []).filter((one) => askingRows.some((row) => row.reference === one.reference))',
    ]),
  ],
  'new since': [
    broken('runFile', [
      'const sinceMs = since?.ms ?? null;',
      'const sinceMs = since === null ? null : ports.clock.now();',
    ]),
  ],
  'strict skip': [
    broken('decideRow', [
      "return { kind: 'paid', payments: blocking, isSkippable };",
      "return rules.skipsPaid ? { kind: 'send' } : { kind: 'paid', payments: blocking, isSkippable };",
    ]),
  ],
  'skipped is earlier': [
    broken('decideRow', [
      'rowStatus: skippedStatus(paymentFacts(payment)) };',
      "rowStatus: { ...skippedStatus(paymentFacts(payment)), state: 'confirmed' } };",
    ]),
  ],
  'skipped is pending': [
    broken('skippedStatus', [
      'if (isFinal(operation.status)) return olderStatus(operation, SKIPPED_AS_PAID);',
      'return olderStatus(operation, SKIPPED_AS_PAID);',
    ]),
  ],
  'first here': [
    broken('readsOver', ['ask(HAS_CONFIRMED, [environment, company], hasRecords)', 'Promise.resolve(true)']),
  ],
  'own key': [
    broken('precedenceOfRepeat', [
      "return maySendAgain(age) ? { kind: 'known', request } : { kind: 'key_used', request, age };",
      "return { kind: 'new' };",
    ]),
  ],
  '23 hours': [
    broken('maySendAgain', [
      "return age.kind === 'known' && age.ms <= KEY_SAFE_MS;",
      "return age.kind === 'known';",
    ]),
    broken('isRepeatable', ['return ageMs <= KEY_SAFE_MS && ageMs >= -SERVICE_CLOCKS_MS;', 'return true;']),
  ],
  'retry asks': [
    broken(
      ['checkBatch', 'checkRows', 'announceSending'],
      ['if (results.length > 0) await store.exchange(batch.id, results, null);', ''],
      [
        "else if (finding.kind === 'send') options.retried",
        'else if (!isOneOf(NEVER_SENT, row.state)) options.retried',
      ],
      ['await refuseNewSingles(batch, sendingQuestion, world);', ''],
    ),
  ],
  'earlier by status': [
    broken(
      ['statusOfOperation', 'rowStatusAfter'],
      ['return olderStatus(operation);', "return { ...olderStatus(operation), state: 'earlier' };"],
      [
        'if (!isFinal(operation.status)) return null;',
        "if (!isFinal(operation.status) || rowStatus.state === 'earlier') return null;",
      ],
    ),
  ],
  'ten minutes': [
    broken('statusOfOperation', [
      'return olderStatus(operation);',
      "return { ...olderStatus(operation), ...(operation.status === 'confirmed' ? { state: 'confirmed' } : {}) };",
    ]),
  ],
  '24 hours': [
    broken('statusFromFeed', [
      "return olderStatus(facts, 'later_payment');",
      "return { ...olderStatus(facts, 'later_payment'), state: 'confirmed' };",
    ]),
  ],
  'forgotten marks': [
    broken('openJournal', [
      'inTransaction(() => forget(db, key))',
      "inTransaction(() => { const count = forget(db, key); db.run('DELETE FROM requests'); return count; })",
    ]),
  ],
  'service clock': [
    broken('readingsOf', ["then.bootId !== '' && then.bootId === now.bootId", 'false']),
    broken('#present', [
      'wallMs: this.#clock.now(), serviceMs: this.#provedMs(boot)',
      'wallMs: this.#clock.now(), serviceMs: this.#clock.now()',
    ]),
    broken('sendBatch', [
      'moment: () => clock.moment(),',
      'moment: () => ({ ...clock.moment(), serviceMs: clock.moment().wallMs }),',
    ]),
  ],
  overlap: [
    broken('nextPass', [
      'if (!isUnfinished ||',
      'if (cursor !== null) return { from: { cursor, upToMs: newestMs ?? 0 }, isLoose: false }; if (!isUnfinished ||',
    ]),
  ],
  'no refusal after an open attempt': [
    broken('judgeRow', [
      "isOpen(stateBefore, attempts) ? 'unknown' : isDenied(last)",
      "isOpen(stateBefore, attempts) && isDenied(last) ? 'unknown' : isDenied(last)",
    ]),
  ],
  'failed tries': [
    broken('decideOperation', ['if (isFailed && !isOwn && !isKeyReused && !isOfKey)', 'if (false)']),
  ],
  generations: [
    broken('nextGeneration', [
      'let generation = Math.max(1 + oldTries.size, leastGeneration);',
      'return 1; let generation = leastGeneration;',
    ]),
    broken('usedKeyRule', [
      'return async (row, olderPayment, isOpen) => {',
      'return async (row, olderPayment, isOpen) => { if (row) return null;',
    ]),
  ],
  'company of a lost mirror': [
    broken('ownerOf', [
      "return proveCompany((await presenceOf(operation, read)) === 'there' && 'there');",
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
