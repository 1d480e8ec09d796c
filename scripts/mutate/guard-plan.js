/** Mistakes in the one spelling of a plan: what would be read as one although somebody changed it. */
import { inRoom } from './mutant.js';

const reading = inRoom('guard', 'guard/plan/reading');
const spelling = inRoom('guard', 'guard/plan/reading', 'guard/plan/spelling');

export const guardPlan = [
  reading('requireCounted', 'a plan may say fewer rows than it has', [
    'counting.rows !== head.rows',
    'counting.rows < head.rows',
  ]),
  reading('requireCounted', 'the totals of a plan are believed', [
    'JSON.stringify(counting.totals()) !== JSON.stringify(head.totals)',
    'head.totals.length === 0',
  ]),
  reading('add', 'one reference stands in a plan twice', [
    'this.#references.add(folded)',
    'this.#references.add(String(number))',
  ]),
  reading('linesOf', 'a plan that was cut off in its last line is taken', [
    'if (length > 0) damaged',
    'if (length > LINE_MAX_BYTES) damaged',
  ]),
  reading('readPlanRow', 'a row may be spelled in two ways', [
    'spelled(body) !== line',
    'spelled(body) === null',
  ]),
  reading('readPlanRow', 'what nobody sees is taken', ['unseen !== null', "unseen === ''"]),
  reading('readHead', 'the first line may be spelled in two ways', [
    'headLine(head) !== line',
    "headLine(head) === ''",
  ]),
  reading('readHead', 'a plan of a newer version is read as one of ours', [
    'Number(version) > VERSION',
    'Number(version) > VERSION + 1',
  ]),
  spelling('bodyLine', 'a number loses digits on its way into a plan', [
    'canonicalOf(line) !== meaning',
    "canonicalOf(line) === ''",
  ]),
];
