/** Mistakes in what all commands share: the line, the book at work, what is said. */
import { inFile } from './mutant.js';

const forgotten = inFile('cli/create/batch-rows.ts', 'commands/batches/taken-over');
const argv = inFile('cli/line/argv.ts', 'cli/line/argv');
const body = inFile('cli/line/body.ts', 'cli/line/body');
const duration = inFile('cli/line/duration.ts', 'cli/line/duration');
const interaction = inFile('cli/line/interaction.ts', 'cli/line/interaction');
const report = inFile('cli/report.ts', 'cli/report');
const keyPrint = inFile('cli/session/address.ts', 'cli/session/key-print');
const settling = inFile('cli/create/settling.ts', 'cli/create/keyed');
const keyed = inFile('cli/create/sending.ts', 'cli/create/keyed');
const durableAnswer = inFile('cli/create/sending.ts', 'cli/create/durable');
const verdict = inFile('cli/create/verdict.ts', 'cli/create/verdict');
const singles = 'cli/create/singles';
const name = inFile('cli/create/payment-name.ts', singles);
const standing = inFile('cli/create/standing.ts', singles);
const derived = inFile('cli/create/sending.ts', singles);
const reused = inFile('cli/create/derived-ends.ts', singles);
const insisting = inFile('cli/create/insisting.ts', singles);
const fromEvents = inFile('cli/create/from-events.ts', singles);
const refused = inFile('cli/create/standing-failure.ts', singles);
const asking = inFile('cli/create/asking.ts', singles);
const next = inFile('cli/call/next.ts', 'cli/call/next');
const confirmation = inFile('cli/call/live-question.ts', 'program/live');
const beside = inFile('cli/feed/beside-feed.ts', 'commands/operations/short-ids', 'commands/operations/find');
const wholeId = inFile('cli/feed/whole-id.ts', 'commands/operations/short-ids');
const shortId = inFile('cli/feed/short-id.ts', 'commands/operations/short-ids');
const search = inFile('cli/feed/operation-search.ts', 'commands/operations/list', 'commands/operations/find');
const youngEnd = inFile('cli/feed/young-end.ts', 'cli/feed/young-end', 'commands/batches/old-end');
const provedFeed = inFile(
  'cli/feed/mirror.ts',
  'commands/batches/old-end',
  'commands/batches/forged-mirror',
  'cli/create/forged-mirror',
);
const byId = inFile('cli/feed/reading-by-id.ts', 'commands/operations/list');
const moment = inFile('cli/line/moment.ts', 'cli/line/moment');
const since = inFile('cli/line/since.ts', 'cli/line/since');
const lookingUp = inFile('cli/call/looking-up.ts', 'cli/call/looking-up');

const summary = inFile('cli/bulk/live-summary.ts', 'commands/batches/shared-live');
const sharing = inFile('cli/stores/shared.ts', 'commands/batches/sealed');

export const cli = [
  argv('a key of the sandbox stands in an argument list', [
    '/svc_(live|test)_/i.test(argument)',
    '/svc_live_/i.test(argument)',
  ]),
  argv('--help behind -- is no value any more', [
    "const end = argv.indexOf('--');\n  return argv\n",
    'const end = -1;\n  return argv\n',
  ]),
  body('of two values for one field the last one is sent', [
    'if (given.has(path)) throw usage(`${assignment.flag} sets ${path} twice: keep one.`);',
    '',
  ]),
  body('of a name that the data repeats the last one is sent', [
    'if (members.has(member.name)) throw usage(`The data has ${member.name} twice: keep one.`);',
    '',
  ]),
  duration('an hour is a minute', ['h: 3_600_000,', 'h: 60_000,']),
  interaction('a build server is asked', [" && !isSet(ports.env['CI'])", '']),
  report('a defect ends as a success', ['? error.exitCode : 1;', '? error.exitCode : 0;']),
  settling('an unknown outcome leaves the book', [
    "if (outcome === 'unknown') await journal.keep(request, learnt);",
    "if (outcome === 'unknown') await journal.withdraw(request);",
  ]),
  keyed('the key of a create is not said', ['await ports.errors.write(`Idempotency-Key: ${key}\\n`);', '']),
  keyed('an answer that nobody could read settles a request', [
    'if (!isShown) return journal.keep(request, learnt());',
    '',
  ]),
  durableAnswer('an answer in a file is settled before the file is on the disk', [
    '.then((ending) => durableEnding(ending, conversation, ports))',
    '',
  ]),
  next('a one-time code stands in the next command', [
    'withKey(withoutCode(typed), next.key)',
    'withKey(typed, next.key)',
  ]),
  next('a create is run again with a new key', [
    'return key === null || isGiven ? typed :',
    'return key === null || !isGiven ? typed :',
  ]),
  confirmation('real money moves at any answer', [
    "if (answer?.trim().toLowerCase() === 'yes') return;",
    "if (answer?.trim().toLowerCase() !== 'no') return;",
  ]),
  verdict('any payment of a reference is insisted over, and not the newest alone', [
    'newPayment === null || !isNamed(newest, newPayment)',
    'newPayment === null',
  ]),
  verdict('--new-since lets an open create be doubled', ['if (payment.operation === null) return true;', '']),
  verdict('in a sandbox what a batch has paid is passed', [
    "operation !== null && source.kind === 'request'",
    'operation !== null',
  ]),
  name('a try after a failure has the key of the failure', [
    'deriveKey({ ...payment, ordinal: 0, generation })',
    'deriveKey({ ...payment, ordinal: 0, generation: 1 })',
  ]),
  standing('what was pending when it was answered refuses for ever', [
    'const said = await this.#statusOf(operation);',
    'const said = null as string | null;',
  ]),
  standing('what is pending is read each time', ['await this.#journal.note(operation, said);', '']),
  derived('an older payment is taken for the one that was meant', [
    'if (generation !== null && known === null && sending.derived !== null) {',
    'if (generation === -1 && known === null && sending.derived !== null) {',
  ]),
  derived('a create that was followed is noted as it was answered', [
    'await journal.note(seen.id, seen.status);',
    'await Promise.resolve();',
  ]),
  reused('other data under a key goes on to the next key', [
    'if (newest !== null) throw',
    'if (newest === null) throw',
  ]),
  insisting('a request that may be sent again is insisted over', [
    'if (mayRepeat && mayLeaveAgain(',
    'if (!mayRepeat && mayLeaveAgain(',
  ]),
  insisting('what paid after all is insisted over', [
    'if (found !== null) throw refusalBy(creating, found);',
    '',
  ]),
  insisting('a payment of another reference is insisted over', [
    'isOfReference && claims.direction',
    'claims.direction',
  ]),
  fromEvents('what the events tell of a lost create is not kept', [
    'await journal.settle(request, settled);',
    '',
  ]),
  refused('a payment that agrees is insisted over by a printed line', [
    'const isItself = isOurs && agreesWith(newest, refused);',
    'const isItself = false;',
  ]),
  asking('a create without a reference is doubled while an equal one is open', [
    "state !== 'settled');",
    "state === 'forgotten');",
  ]),
  lookingUp("a gateway's 404 proves that there is no such operation", [
    "if (last.error?.code === 'not_found') return null;",
    'return null;',
  ]),
  keyPrint('the print of a key needs no salt', [
    "createHmac('sha256', salt)",
    "createHmac('sha256', salt.subarray(0, 0))",
  ]),
  forgotten('a single create is paid beside a row that another database server knows nothing of', [
    ' && (await isInDoubt(run, batch))',
    ' && run.flags === null',
  ]),
  summary('what one machine has paid is taken for what the state knows', [
    "isShared ? 'this state' : 'this machine'",
    "'this machine'",
  ]),
  sharing('a key that was put in the place of another opens half of the books of a command', [
    'if (known !== undefined) return known;',
    '',
  ]),
  beside('a create of another company is taken for ours', [
    'isSameSender(request, place) ||',
    'request.origin === place.origin ||',
  ]),
  beside('an operation that only a row which waits for a person names is ours', [
    "return state !== 'needs_review';",
    'return state.length > 0;',
  ]),
  wholeId('of several the first is meant', ['if (another !== undefined) throw ambiguous(typed, found);', '']),
  wholeId('what is known here is asked for all the same', [
    'here.length > 0 ? here : await look(false)',
    'await look(false)',
  ]),
  shortId('nobody says which operation is about to be changed', [
    "if (telling === 'told')",
    "if (telling !== 'told')",
  ]),
  shortId('what is suggested next has half an id', ['word.replace(typed, id) : word', 'word : word']),
  search('what the feed tells is listed twice', ['told?.has(id) !== true', 'told?.has(id) !== false']),
  search('what was pending is pending for ever', ['...(await known.asOfNow(newest))', '...newest']),
  byId('every pending operation is asked for', [
    'if (reads >= READS_MAX) {',
    'if (reads >= READS_MAX * 99) {',
  ]),
  byId('without a network it is asked all the same', [
    'if (run === null || isSettled(found)',
    'if (isSettled(found)',
  ]),
  moment('a day ends where it begins', ['localMs(dayMs + DAY_MS, zone) - 1', 'localMs(dayMs, zone) - 1']),
  moment('a day is that of the service', [
    'zone.offsetMinutes(atMs) * MINUTE_MS);\n  const possible',
    '0 * zone.offsetMinutes(atMs));\n  const possible',
  ]),
  moment('a night in which the clocks are set has the offset of the day after', [
    'right.length > 0',
    'false',
  ]),
  since('a bare date begins with midnight here', ['Math.min(hereMs, shownMs)', 'hereMs']),
  since('a bare date begins with midnight UTC', ['Math.min(hereMs, shownMs)', 'shownMs']),
  since('a day that does not exist is the one after it', [
    ' || !new Date(shownMs).toISOString().startsWith(date)',
    '',
  ]),
  youngEnd('the end of the events may be as old as it is', [
    'answeredAtMs < nowMs - SERVICE_CLOCKS_MS',
    'answeredAtMs < -SERVICE_CLOCKS_MS',
  ]),
  youngEnd('the end of the events may have been kept for long', ['page.hasWaited === true || ', '']),
  youngEnd('an old end is asked for in the same way', [
    'fetch(cursor, signal, other)',
    'fetch(cursor, signal)',
  ]),
  youngEnd('an old end that stays old is the end', [
    'if (!(await isOldEnd(again, cursor))) return again;',
    'return again;',
  ]),
  youngEnd('an end behind which there is a place is none', [
    ' || next === cursor || events.length === 0',
    '',
  ]),
  provedFeed('a mirror that others can write in is believed', [
    'mirrors.isShared ? provingOver(run, pace) : null',
    'null',
  ]),
  provedFeed('an old end is the end', [
    'syncMirror(mirror, pagesOf(withYoungEnd(source, run))',
    'syncMirror(mirror, pagesOf(source)',
  ]),
];
