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
    ...{ family: 'one', seed: 4, ends: 'twice' },
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
    ...{ family: 'one', seed: 67, ends: 'twice' },
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
    ...{ family: 'clocks', seed: 252, ends: 'twice' },
  },
  {
    name: 'nothing is sent again after 23 hours',
    changes: [inFile(MOMENT, ["return age.kind === 'known' && age.ms <= KEY_SAFE_MS;", 'return true;'])],
    ...{ family: 'clocks', seed: 4, ends: 'twice' },
  },
];
