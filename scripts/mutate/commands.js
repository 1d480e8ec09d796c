/** Mistakes in the steps that only one noun needs. */
import { inFile } from './mutant.js';

const beside = inFile('commands/sandbox/beside.ts', 'commands/sandbox/beside');
const exec = inFile('commands/events/exec-sink.ts', 'commands/events/tail');
const repetition = inFile(
  'commands/requests/repetition.ts',
  'commands/requests/repeat',
  'commands/requests/company',
);
const repeatAll = inFile('commands/requests/repeat-all.ts', 'commands/requests/repeat-all');
const following = inFile('commands/events/feed.ts', 'commands/events/durable');
const listening = inFile('commands/webhooks/listening.ts', 'commands/webhooks/listen');
const rejection = inFile('commands/webhooks/rejection.ts', 'commands/webhooks/verify');
const takeover = inFile('cli/create/takeover.ts', 'commands/requests/shared');
const checkpoints = inFile('cli/stores/checkpoints.ts', 'commands/events/tail');

const sender = inFile('commands/requests/repetition.ts', 'commands/requests/company');
const requests = inFile(
  'commands/requests/requests.ts',
  'commands/requests/list',
  'commands/requests/repeat',
);
const resolution = inFile(
  'commands/batches/resolution.ts',
  'commands/batches/resolve',
  'commands/batches/not-paid',
);
const forgetting = inFile('commands/batches/forgetting.ts', 'commands/batches/forget');
const keeping = inFile('commands/webhooks/secret-keeping.ts', 'commands/webhooks/register');
const reconciled = inFile('commands/reconcile/showing.ts', 'commands/reconcile/reconcile');
const serviceSide = inFile(
  'commands/reconcile/known.ts',
  'commands/reconcile/reconcile',
  'commands/reconcile/ending',
);
const rulesOfBooks = inFile('commands/reconcile/rules.ts', 'commands/reconcile/reconcile');
const examination = inFile('commands/doctor/examination.ts', 'commands/doctor');

const changes = inFile('commands/sandbox/changes.ts', 'commands/sandbox/requests');

export const commands = [
  following('a checkpoint moves past lines that are not on the disk', [
    '          await ports.output.durable();\n',
    '',
  ]),
  listening('a delivery is answered with 2xx before its line is on the disk', [
    'await ports.output.durable().catch(',
    'ports.output.durable().catch(',
  ]),
  exec('a program of the user gets to see the API key', ['holdsKey(value) ||\n', '']),
  exec('a program that fails accepts its event', [
    'const isAccepted = end.exitCode === 0;',
    'const isAccepted = end.exitCode !== null;',
  ]),
  repetition('a request of live is repeated in the sandbox', [
    'if (request.environment !== session.environment) throw otherEnvironment(request, world);',
    '',
  ]),
  repetition("another company's key repeats a request", ['await requireSender(request, sender, world);', '']),
  repetition('a request of yesterday is repeated', [
    'if (request.mayNotRepeat || !mayLeaveAgain(age)) {',
    'if (request.mayNotRepeat) {',
  ]),
  repetition('a refusal of the repetition settles the sending before it', [
    "new Failure(isPassing ? failure.kind : 'unknown_outcome', text",
    'new Failure(failure.kind, text',
  ]),
  repeatAll('a key that is not let in is tried for every request', [
    "if (end.kind === 'no_access') break;",
    '',
  ]),
  rejection('a delivery that must be discarded ends as another failure', [
    "new Failure('webhook_rejected'",
    "new Failure('rejected'",
  ]),
  takeover('what another server forgot is paid again', [
    'if ((await journal.takenOverAtMs()) === null) return;',
    'return;',
  ]),
  checkpoints('two followers share one checkpoint', [
    'checkpointLock({ folder, name })',
    'checkpointLock({ folder, name: ports.random.uuid() })',
  ]),
  sender('an operation that a key does not see is of its company', [
    'if ((await lookUp(operation, world)) === null) throw otherCompany(request);',
    '',
  ]),
  sender('live, --same-company needs no yes', [
    "if (session.environment !== 'live' || flags.yes) return;",
    'return;',
  ]),
  requests('of two requests with one key the first is meant', [
    'if (another !== undefined) throw twoRequests(first);',
    '',
  ]),
  resolution('a row that is settled is decided once more', [
    'if (isOneOf(DECIDABLE, row.state)) return row;',
    'return row;',
  ]),
  resolution('a row of live is called unpaid at any answer', [
    "if (answer?.trim().toLowerCase() === 'yes') return;",
    "if (answer?.trim().toLowerCase() !== 'no') return;",
  ]),
  forgetting('the bodies of rows that are open are removed', [
    'if (!isUnsent) requireFinal(batch, tally, run);',
    '',
  ]),
  forgetting('a batch that paid once is removed with its books', [
    '(wasConfirmed && generation > 1)',
    'false',
  ]),
  keeping('a secret is asked for that cannot be stored', [
    'const note = await proveWritable(stores);\n  const conversation = await register();',
    'const conversation = await register();\n  const note = await proveWritable(stores);',
  ]),
  examination('what doctor finds ends as a defect', ["first.kind ?? 'defect'", "'defect'"]),
  beside("what runs beside a sandbox gets the company's own settings", [
    ".filter(([name]) => !name.startsWith('SVC_'))",
    '',
  ]),
  beside('a test that fails passes', ['if (exitCode !== 0) throw', 'if (exitCode > 255) throw']),
  changes('a sandbox that says what has changed is asked four times a second', [
    'if (news.isOver) {',
    'if (news.isOver || PAUSE_MS > 0) {',
  ]),
  reconciled('what differs ends with 0', [
    'if (!result.agrees) throw differs',
    'if (result.lines < 0) throw differs',
  ]),
  reconciled('what matches is listed with what differs', ["flags.all || kind !== 'matched'", 'true']),
  serviceSide('a day is that of Greenwich', [
    'atMs + zone.offsetMinutes(atMs) * MINUTE_MS',
    'atMs + zone.offsetMinutes(atMs) * 0',
  ]),
  serviceSide('what waits is not compared', [
    'for await (const block of known.beside()) yield compared(block);',
    '',
  ]),
  serviceSide('without a word from the service everything is only here', [
    'if (known.mirror === null) throw',
    'if (known.mirror === undefined) throw',
  ]),
  rulesOfBooks('30 February is a day', [
    'Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text)',
    'Number.isNaN(ms)',
  ]),
];
