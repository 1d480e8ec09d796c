/** The rules of single creates, and for each the program without it: a control plays a history that ends badly then. */
import type { Change } from '../../../support/variant.js';
import type { Family } from './history.js';

const inFile = (file: string, ...changes: Change['changes']): Change => ({ file, changes });

export interface Control {
  readonly name: string;
  /** What is broken in the sources to put the rule out. */
  readonly changes: readonly Change[];
  /** A history that meets it, and what it ends with. */
  readonly family: Family;
  readonly seed: number;
  readonly ends: string;
}

const PAYMENTS = 'src/bulk/check/payments.ts';
const STANDING = 'src/cli/create/standing.ts';
const MOMENT = 'src/contract/moment.ts';
const CLOCK = 'src/client/service-clock.ts';

const BELIEVED: readonly Change[] = [
  inFile(CLOCK, ['if (!isProof && !isDirect) return;', '']),
  inFile('src/client/request.ts', ["...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),", '']),
];

export const CONTROLS: readonly Control[] = [
  {
    name: 'what a single create has made refuses the next',
    changes: [
      inFile(PAYMENTS, [
        "return status === 'failed' ? [] : [{ ...facts, operation,",
        'return status !== null ? [] : [{ ...facts, operation,',
      ]),
    ],
    ...{ family: 'one', seed: 5, ends: 'twice' },
  },
  {
    name: 'a reference holds nothing that nobody sees',
    changes: [
      inFile(
        'src/contract/reference.ts',
        ["reference.replace(INVISIBLE, '')", 'reference'],
        ["if (reference.search(INVISIBLE) !== -1) return 'holds an invisible character';", ''],
      ),
    ],
    ...{ family: 'one', seed: 56, ends: 'twice' },
  },
  {
    name: 'the service proves its time, and every clock makes a key older',
    changes: [
      ...BELIEVED,
      inFile(
        MOMENT,
        ["add('boot', then.bootMs, now.bootMs);", ''],
        ["add('machine', then.wallMs, now.wallMs);\n  }", '}'],
        ["else if (!isSameBoot) add('machine', then.wallMs, now.wallMs);", ''],
      ),
    ],
    ...{ family: 'clocks', seed: 864, ends: 'twice' },
  },
  {
    name: 'nothing is sent again after 23 hours',
    changes: [inFile(MOMENT, ["return age.kind === 'known' && age.ms <= KEY_SAFE_MS;", 'return true;'])],
    ...{ family: 'clocks', seed: 17, ends: 'twice' },
  },
  {
    name: 'a time that nobody knows is no young one',
    changes: [
      inFile(MOMENT, [
        "return age.kind === 'known' && age.ms <= KEY_SAFE_MS;",
        "return age.kind !== 'known' || age.ms <= KEY_SAFE_MS;",
      ]),
    ],
    ...{ family: 'clocks', seed: 18, ends: 'twice' },
  },
  {
    name: 'what was settled counts for 400 days',
    changes: [inFile('src/journal/request.ts', ['MARKS_KEPT_MS = 400 *', 'MARKS_KEPT_MS = 2 *'])],
    ...{ family: 'one', seed: 113, ends: 'twice' },
  },
  // Each alone closes what the other leaves: within a day the key does too, which is that of the row.
  {
    name: 'what a batch has, and what the events tell, refuses a single create',
    changes: [
      inFile('src/cli/create/batch-rows.ts', ['if (referenceMark === null) return [];', 'return [];']),
      inFile(STANDING, [
        'if (reference === null || (!isStrict',
        'if (isStrict || reference === null || (!isStrict',
      ]),
    ],
    ...{ family: 'one', seed: 394, ends: 'twice' },
  },
  {
    name: 'what a single create has refuses the row of a batch',
    changes: [
      inFile(
        'src/cli/bulk/knowledge.ts',
        ['singles.of(await journal.ofReferences({ environment, direction, referenceMarks }))', '[]'],
        ['const all = await journal.behind(lastRow);', 'const all = [];'],
      ),
    ],
    ...{ family: 'one', seed: 9, ends: 'twice' },
  },
  // Where it is written, and where all that is known is asked.
  {
    name: 'what another process is about to send stands in the way',
    changes: [
      inFile('src/journal/precedence.ts', ['if (rival !== undefined) return', 'if (rival === null) return']),
      inFile(STANDING, [
        'requests.filter(({ row }) => row !== ownRow)',
        "requests.filter(({ row, state }) => row !== ownRow && state !== 'recorded')",
      ]),
    ],
    ...{ family: 'one', seed: 358, ends: 'twice' },
  },
  {
    name: 'what is pending is read before it refuses',
    changes: [
      inFile('src/cli/create/asking.ts', [
        'await standing.look(paymentsIn(evidence, about.direction).filter(isAsked));',
        'isAsked === null;',
      ]),
    ],
    ...{ family: 'one', seed: 29, ends: 'lost' },
  },
  {
    name: 'an answer is about the operation that was asked for',
    changes: [inFile('src/client/held-request.ts', ['...(id === null ? {} : { id })', ''])],
    ...{ family: 'one', seed: 14, ends: 'shown another operation' },
  },
  {
    name: 'a mirror that others may write into proves nothing alone',
    changes: [inFile('src/cli/feed/mirror.ts', ['mirrors.isShared ? provingOver(run, pace) : null', 'null'])],
    ...{ family: 'forged', seed: 73, ends: 'twice' },
  },
  {
    name: 'nor does it make two companies one',
    changes: [
      inFile('src/cli/create/single-creates.ts', [
        'isOne && (await this.#world.mirrors())?.isShared === false',
        'isOne',
      ]),
    ],
    ...{ family: 'forged', seed: 1903, ends: 'lost' },
  },
];
