import { variant } from '../broken.js';
import { buildProgram, type Variant } from '../../support/variant.js';

const SERVER = `
import { createUndiciTransport } from './src/client/undici.js';
import { systemClock as clock, systemRandom as random } from './src/runtime/clock.js';
import { openSandbox } from './src/sandbox/sandbox.js';
import { serve } from './src/sandbox/server.js';
const sandbox = openSandbox({ store: process.argv[2], clock, random, allowHttpWebhooks: true });
const { send } = createUndiciTransport({ clock, connections: 64 });
const onDefect = (error) => console.error(error);
const { port } = await serve(sandbox, { port: 0, clock, receivers: send, onDefect });
console.log(JSON.stringify({ port, key: sandbox.apiKey }));
`;

/** Answers at once and commits later, so a kill loses an acknowledged payment. */
export const COMMITS_LATE = variant(
  'commits-late',
  'makeDatabase',
  ['prepare(begin).run();', 'if (!connection.isTransaction) prepare(begin).run();'],
  [
    "prepare('COMMIT').run();",
    "globalThis.late ??= setInterval(() => connection.isTransaction && connection.exec('COMMIT'), 200);",
  ],
);

/** Records a delivery as made before it is sent, so a kill in between loses the delivery. */
export const RECORDS_FIRST = variant('records-first', 'startDispatcher', [
  'const outcome = await makeAttempt(outgoing);',
  'outbox.record([{ outgoing, outcome: { status: 200, error: null } }]); const outcome = await makeAttempt(outgoing);',
]);

export function buildServer(variant?: Variant): Promise<string> {
  return buildProgram(`server-${variant?.name ?? 'whole'}`, SERVER, variant === undefined ? [] : [variant]);
}
