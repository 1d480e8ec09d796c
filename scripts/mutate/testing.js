/** Mistakes in the kit for tests: what it lets arrive, hands out, waits for and leaves. */
import { inFile } from './mutant.js';

const payments = inFile('testing/payments.ts', 'testing/kit');
const receiver = inFile('testing/receiver.ts', 'testing/kit');
const engine = inFile('testing/engine.ts', 'testing/kit');
const fetching = inFile('testing/fetch.ts', 'testing/kit');
const control = inFile('testing/control.ts', 'testing/kit');

export const testing = [
  payments('what waits for its code is paid', ["waits?.kind !== 'payment'", 'waits === null']),
  receiver('a forged event is handed out', [
    'if (!verdict.accepted) {',
    'if (!verdict.accepted && method === null) {',
  ]),
  receiver('an event is handed out twice', ['untaken.splice(at, 1)', 'untaken.slice(at, at + 1)']),
  receiver('an event of any type will do', [
    'type === undefined || type === event.type);\n    if',
    'true);\n    if',
  ]),
  engine('the live key is another one after a reset', ['given = [...said];', 'given = [];']),
  engine('nothing is delivered that a request brought', ['dispatcher.wake();\n      return', 'return']),
  fetching('another address is answered too', ['new URL(url).origin !== new URL(baseUrl).origin', 'false']),
  control('a list is its first page', ["after = page['next'] as string | number | null;", 'after = null;']),
];
