import { heldBy } from './mutant.js';

const beside = heldBy('sandbox/exec');
const exec = heldBy('events/tail');
const repetition = heldBy('payments/requests/repeat', 'payments/requests/company');
const elsewhere = heldBy('payments/requests/forget');
const repeatAll = heldBy('payments/requests/repeat-all');
const following = heldBy('events/durable');
const listening = heldBy('events/webhooks/listen');
const rejection = heldBy('events/webhooks/verify');
const around = heldBy('sandbox/exec');
const takeover = heldBy('payments/requests/shared');
const checkpoints = heldBy('events/tail');

const sender = heldBy('payments/requests/company');
const examined = heldBy('certify/run/run-once');
const verdicts = heldBy('certify/exam-client');
const deliveries = heldBy('certify/controls/clients');
const requests = heldBy('payments/requests/list', 'payments/requests/repeat');
const resolution = heldBy('batches/resolve', 'batches/not-paid');
const decision = heldBy('batches/resolve', 'batches/not-paid');
const forgetting = heldBy('batches/forget');
const keeping = heldBy('events/webhooks/register');
const signers = heldBy('setup/doctor/commands');
const policies = heldBy('setup/policy/policy');
const reconciled = heldBy('reconcile/reconcile');
const serviceSide = heldBy('reconcile/reconcile', 'reconcile/ending');
const rulesOfBooks = heldBy('reconcile/reconcile');
const examination = heldBy('setup/doctor/commands');

const changes = heldBy('sandbox/requests');

const retried = heldBy('batches/approved');
const appliedFirst = heldBy('batches/apply');

export const commands = [
  retried('retryBatch', 'a retry begins again what is over', [
    'if (approvedPlan?.hasExpired === true && retriableTotals.size > 0)',
    'if (false)',
  ]),
  retried('stricterOf', 'what was asked when a plan was applied is asked no more', [
    'return stored ?? asked;',
    'return asked;',
  ]),
  appliedFirst('beginBatch', 'a plan leaves with other bytes than those that were approved', [
    'isApproved: true, ',
    '',
  ]),
  appliedFirst('beginBatch', 'nobody looks whether a plan was sent from elsewhere', [
    "if (flags['skip-feed-check'])",
    'if (store === null)',
  ]),
  following('runJob', 'a checkpoint moves past lines that are not on the disk', [
    '          await ports.output.durable();\n',
    '',
  ]),
  listening('listen', 'a delivery is answered with 2xx before its line is on the disk', [
    'await ports.output.durable().catch(',
    'ports.output.durable().catch(',
  ]),
  checkpoints('withoutSecrets', 'a program of the user gets to see the API key', [
    'hasKeyPrefix(value) ||\n',
    '',
  ]),
  exec('execSink', 'a program that fails accepts its event', [
    'const isAccepted = end.exitCode === 0;',
    'const isAccepted = end.exitCode !== null;',
  ]),
  elsewhere('repeatOpen', 'a request of live is repeated in the sandbox', [
    'if (request.environment !== session.environment) throw otherEnvironmentFailure(request, world);',
    '',
  ]),
  repetition('repeatOpen', "another company's key repeats a request", [
    'await requireSender(request, sender, world);',
    '',
  ]),
  repetition('repeatOpen', 'a request of yesterday is repeated', [
    '!request.mayNotRepeat && maySendAgain(age)',
    '!request.mayNotRepeat',
  ]),
  repetition('presentRepetition', 'a refusal of the repetition settles the sending before it', [
    "new Failure(isTextEnough ? failure.kind : 'unknown_outcome', text",
    'new Failure(failure.kind, text',
  ]),
  repeatAll('repeatAll', 'a key that is not let in is tried for every request', [
    "if (openEnd.kind === 'no_access') break;",
    '',
  ]),
  rejection('rejectionOf', 'a delivery that must be discarded ends as another failure', [
    "new Failure('webhook_rejected'",
    "new Failure('rejected'",
  ]),
  takeover('checkAfterTakeover', 'what another server forgot is paid again', [
    'if ((await journal.takenOverAtMs()) === null) return;',
    'return;',
  ]),
  checkpoints('lockCheckpoint', 'two followers share one checkpoint', [
    'lockPath(options)',
    'lockPath({ ...options, name: String(Math.random()) })',
  ]),
  sender('requireSender', 'an operation that a key does not see is of its company', [
    "if (match === 'other') throw otherCompanyFailure(request);",
    '',
  ]),
  sender('requireSender', 'live, --same-company needs no yes', [
    "requireYes('same-company', world, { outcome: 'unknown', idempotencyKey: request.idempotencyKey });",
    '',
  ]),
  requests('onlyRequest', 'of two requests with one key the first is meant', [
    'if (otherRequest !== undefined) throw twoRequestsFailure(request);',
    '',
  ]),
  resolution('openRowOf', 'a row that is settled is decided once more', [
    'if (isDecidedOperation || isOneOf(OPEN_STATES, row.state)) return row;',
    'return row;',
  ]),
  decision('confirmUnpaid', 'a row of live is called unpaid at any answer', [
    "if (await typesYes(ports, 'Nothing was changed.')) return;",
    "if (!(await typesYes(ports, 'Nothing was changed.'))) return;",
  ]),
  forgetting('forgetBatch', 'the bodies of rows that are open are removed', [
    'if (!isUnsent && !isFinal) {',
    'if (false) {',
  ]),
  forgetting('wasNeverSent', 'a batch that paid once is removed with its books', [
    '(wasConfirmed && generation > 1)',
    'false',
  ]),
  keeping('registerAndStoreSecret', 'a secret is asked for that cannot be stored', [
    'const note = await proveWritable(stores);\n  const conversation = await sendCall(run, input);',
    'const conversation = await sendCall(run, input);\n  const note = await proveWritable(stores);',
  ]),
  examination('examine', 'what doctor finds ends as a defect', ["firstError.kind ?? 'defect'", "'defect'"]),
  around('withoutSvcVariables', "what runs beside a sandbox gets the company's own settings", [
    "!name.startsWith('SVC_') || name === LOCK_VARIABLE",
    'name !== null',
  ]),
  around('withoutSvcVariables', 'what runs beside a sandbox is rid of its lock', [
    ' || name === LOCK_VARIABLE',
    '',
  ]),
  beside('runBesideSandbox', 'a test that fails passes', [
    'if (exitCode !== 0) throw',
    'if (exitCode > 255) throw',
  ]),
  examined('recorderOf', 'an exam writes down the code of a payer', [
    "body: route === 'payins.confirm' ? withoutCode(body, salt) : body,",
    'body,',
  ]),
  examined('examInterposer', 'a payment of one test is counted with those of the next', [
    'scope.resets += 1;',
    '',
  ]),
  examined('startRun', "what is examined gets the company's own settings", [
    '...withoutSvcVariables(ports.env),',
    '...ports.env,',
  ]),
  examined('runStopper', 'a command that floods the service is not stopped', [
    "if (atMs - oldestMs < SECOND_MS) stop('rate');",
    '',
  ]),
  verdicts('certifyClient', 'a command that did not pass ends like one that did', [
    'if (isCertified(report)) return;',
    'return;',
  ]),
  deliveries('hooksOf', 'no delivery comes twice', [
    "isEvent && isSuccessStatus(answer.status) && fault === 'hooks-twice' ? await handOver() : answer",
    'answer',
  ]),
  changes('changesAt', 'a sandbox that says what has changed is asked four times a second', [
    'if (stream.isOver) return',
    'if (stream.isOver || PAUSE_MS > 0) return',
  ]),
  signers('checkSigners', 'a line that is over approves', ['(validBeforeMs ?? Infinity) > nowMs', 'true']),
  signers('checkSigners', 'nobody is told that a line ends', [
    'validBeforeMs - nowMs < SOON_MS',
    'validBeforeMs < nowMs',
  ]),
  policies('showPolicy', 'a policy that cannot be used ends with 0', ['requireUsable(state);', '']),
  policies('listOfMachine', 'a list of signers that is missing is none', [
    "if (signersFile.kind === 'bytes') return { file, bytes: signersFile.bytes };",
    "if (signersFile.kind !== 'bytes') return null; return { file, bytes: signersFile.bytes };",
  ]),
  policies('requireAllRead', 'lines that ssh-keygen passes over are well', [
    'if (lines.length === 0) return;',
    'return;',
  ]),
  reconciled('showResult', 'what differs ends with 0', [
    'if (!result.agrees) throw differenceFailure',
    'if (result.lines < 0) throw differenceFailure',
  ]),
  reconciled('showResult', 'what matches is listed with what differs', [
    "flags.all || kind !== 'matched'",
    'true',
  ]),
  serviceSide('comparedOf', 'a day is that of Greenwich', [
    'atMs + zone.offsetMinutes(atMs) * MINUTE_MS',
    'atMs + zone.offsetMinutes(atMs) * 0',
  ]),
  serviceSide('addServiceSide', 'what waits is not compared', [
    'for await (const block of knownOperations.listWithoutEvent()) add(block);',
    '',
  ]),
  serviceSide('addServiceSide', 'without a word from the service everything is only here', [
    'if (knownOperations.mirror === null) throw',
    'if (knownOperations.mirror === undefined) throw',
  ]),
  rulesOfBooks('readDay', '30 February is a day', [
    'Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text)',
    'Number.isNaN(ms)',
  ]),
  heldBy('events/service/run-service')('systemdNotify', 'each word that nobody reads is said', [
    'if (hasFailed) return;',
    '',
  ]),
];
