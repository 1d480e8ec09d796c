/** Mistakes in the steps that only one noun needs. */
import { inFile } from './mutant.js';

const exec = inFile('commands/events/exec-sink.ts', 'commands/events/tail');
const repetition = inFile(
  'commands/requests/repetition.ts',
  'commands/requests/repeat',
  'commands/requests/company',
);
const repeatAll = inFile('commands/requests/repeat-all.ts', 'commands/requests/repeat-all');
const rejection = inFile('commands/webhooks/rejection.ts', 'commands/webhooks/verify');
const feed = inFile('commands/events/feed.ts', 'commands/events/tail');

export const commands = [
  exec('a program of the user gets to see the API key', ['holdsKey(value) ||\n', '']),
  exec('a program that fails accepts its event', [
    'if (end.exitCode === 0) break;',
    'if (end.exitCode !== null) break;',
  ]),
  repetition('a request of live is repeated in the sandbox', [
    'if (request.environment !== session.environment) throw otherEnvironment(request, session.environment);',
    '',
  ]),
  repetition("another company's key repeats a request", ['await requireSender(request, sender, world);', '']),
  repetition('a request of yesterday is repeated', [
    'if (!isRepeatable(session.clock.ageMs(request.firstLeftMs))) throw tooOld(request);',
    '',
  ]),
  repetition('a refusal of the repetition settles the sending before it', [
    "new Failure(isPassing ? failure.kind : 'unknown_outcome', text",
    'new Failure(failure.kind, text',
  ]),
  repeatAll('a key that is not let in is tried for every request', ["if (end === 'no_access') break;", '']),
  rejection('a delivery that must be discarded ends as another failure', [
    "new Failure('webhook_rejected'",
    "new Failure('rejected'",
  ]),
  feed('two followers share one checkpoint', [
    'checkpointLock({ folder, name })',
    'checkpointLock({ folder, name: ports.random.uuid() })',
  ]),
];
