import { heldBy } from './mutant.js';

const payments = heldBy('sandbox/testing/kit');
const receiver = heldBy('sandbox/testing/kit');
const engine = heldBy('sandbox/testing/kit');
const fetching = heldBy('sandbox/testing/kit');
const control = heldBy('sandbox/testing/kit');

export const testing = [
  payments('payFor', 'what waits for its code is paid', ["wait?.kind !== 'payment'", 'wait === null']),
  receiver('openTestReceiver', 'a forged event is handed out', [
    'if (!verdict.accepted) {',
    'if (!verdict.accepted && method === null) {',
  ]),
  receiver('openTestReceiver', 'an event is handed out twice', [
    'unreadEvents.splice(index, 1)',
    'unreadEvents.slice(index, index + 1)',
  ]),
  receiver('openTestReceiver', 'an event of any type will do', [
    'type === undefined || type === event.type);\n      if',
    'true);\n      if',
  ]),
  engine('beginEra', 'the live key is gone after a reset', [
    'if (liveKey !== null && companies.bearerOf(liveKey) === undefined)',
    'if (liveKey !== null && world.era === 1)',
  ]),
  engine('startEngine', 'nothing is delivered that a request brought', [
    'dispatcher.wake();\n      return',
    'return',
  ]),
  fetching('fetchOf', 'another address is answered too', [
    'new URL(url).origin !== new URL(baseUrl).origin',
    'false',
  ]),
  control('readList', 'a list is its first page', [
    "after = page['next'] as string | number | null;",
    'after = null;',
  ]),
];
