import { heldBy } from './mutant.js';

const verifying = heldBy('batches/approval/verify');
const review = heldBy('batches/review');
const approval = heldBy('batches/review');
const life = heldBy('commands/payouts/plan');
const people = heldBy('batches/approval/people');
const signature = heldBy('batches/approval/verify');
const reading = heldBy('batches/approval/plan/read');
const spelling = heldBy('batches/approval/plan/read', 'batches/approval/plan/format');

export const guardPlan = [
  reading('readPlan', 'a plan may say fewer rows than it has', [
    'count.rows !== head.rows',
    'count.rows < head.rows',
  ]),
  reading('readPlan', 'the totals of a plan are believed', [
    'JSON.stringify(count.head(head).totals) !== JSON.stringify(head.totals)',
    'head.totals.length === 0',
  ]),
  reading('add', 'one reference stands in a plan twice', [
    'this.#references.add(folded) !== this.rows',
    'this.#references.add(String(number)) !== this.rows',
  ]),
  reading('linesOf', 'a plan that was cut off in its last line is taken', [
    'if (length > 0) damaged',
    'if (length > BODY_MAX_BYTES) damaged',
  ]),
  reading('readPlanRow', 'a row may be spelled in two ways', [
    'lineOf(body) !== line',
    'lineOf(body) === null',
  ]),
  reading('readPlanRow', 'what nobody sees is taken', ['unseenIn !== null', "unseenIn === ''"]),
  reading('readHead', 'the first line may be spelled in two ways', [
    'headLine(head) !== line',
    "headLine(head) === ''",
  ]),
  reading('readHead', 'a plan of a newer version is read as one of ours', [
    'Number(version) > VERSION',
    'Number(version) > VERSION + 1',
  ]),
  spelling('lineOfBody', 'a number loses digits on its way into a plan', [
    'canonicalJson(line) !== meaning',
    "canonicalJson(line) === ''",
  ]),
  people('countPeople', 'who made a plan approves it', [
    'person === undefined || person === MAKER_PERSON',
    'person === undefined',
  ]),
  people('countPeople', 'one person counts as often as he signs', [
    'countedPeople.has(person)',
    'countedPeople.has(-1)',
  ]),
  people('countPeople', 'who hides that he made a plan approves it', [
    'Math.max(0, approvers.length - 1)',
    'approvers.length',
  ]),
  people('countPeople', 'anybody may sign as the maker', [
    'fingerprint === maker) ?? null',
    "fingerprint !== '') ?? null",
  ]),
  people('peopleIn', 'two keys under one name are two people', ['...[name, ...names].map', '...[].map']),
  people('peopleIn', 'one key under two names is two people', [
    '`key ${fingerprint}`,\n',
    '`key ${fingerprint} ${name}`,\n',
  ]),
  people('peopleIn', 'a chain of keys and names is several people', [
    'if (persons.includes(person)) personByMark.set(mark, least);',
    'if (persons.length > 99) personByMark.set(mark, least);',
  ]),
  signature('readBareKey', 'one key that was certified twice is two', [
    'return { ...keyOf(bareBlob), certifiedNames }',
    'return { ...keyOf(blob), certifiedNames }',
  ]),
  review('findingsOf', 'an account that is other than before is not told', [
    'account !== this.#lastAccounts[person] && ',
    'account === -2 && ',
  ]),
  review('findingsOf', 'twice as much as ever before is not told', [
    'isMore(row, mostPaid, 2n, 3n)',
    'isMore(row, mostPaid, 1n, 9n)',
  ]),
  review('findingsOf', 'nobody is told whose account it was', [
    'owner === person ? null',
    'owner !== -2 ? null',
  ]),
  review('mixesScripts', 'letters that look like others are not told', ['.length > 1', '.length > 2']),
  approval('approvePlan', 'a program under a lock approves', ['await refuseLocked(ports);', '']),
  approval('approvePlan', 'who made a plan signs as one who approves it', [
    'key.fingerprint === review.maker',
    "key.fingerprint === ''",
  ]),
  approval('approvePlan', 'a plan is approved whose total nobody has typed', [
    'await confirmTotals(review, confirmedTotals, run);',
    '',
  ]),
  life('validForMs', 'a plan is valid for longer than the policy allows', ['ms <= maxMs', 'ms >= 60_000']),
  verifying('verifySignature', 'who may sign is asked for the time of nobody', [
    'options.serviceMs / 1000',
    '1790000000',
  ]),
  verifying('verifySignature', 'a key with several names is somebody', [
    'if (goodNames.length > 1) return',
    'if (goodNames.length > 99) return',
  ]),
  verifying('verifySignature', 'a pattern in the list is somebody', [
    '!/[*?!"\\s]/.test(name)',
    'name.length > 0',
  ]),
];
