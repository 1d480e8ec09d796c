/** Puts a create into the file of the book, unless something there stands in its way: looked at in the transaction that writes it. */
import type { Database } from '../runtime/database.js';
import type { RecordOutcome, Recorded } from './journal.js';
import { precedenceOf, type PrecedenceOptions } from './precedence.js';
import { type About, aboutOf, type KeptRequest, type Leaving } from './request.js';
import { insertRequest, reopen, selectRequests } from './rows.js';

export function record(db: Database, leaving: Leaving, options: PrecedenceOptions): RecordOutcome {
  const about = aboutOf(leaving.endpoint, leaving.body);
  const precedence = precedenceOf(leaving, about, candidates(db, leaving, about), options);
  switch (precedence.kind) {
    case 'new':
      return { request: insertRequest(db, leaving, about), known: null, isNew: true };
    case 'repeats':
    case 'known': {
      const { request } = precedence;
      // Whose key made an operation stays noted, whoever asks for it again.
      reopen(db, request.row, precedence.kind === 'known' ? request : leaving, leaving.body);
      const open = { ...request, state: 'open', body: leaving.body, settled: null } as const;
      return { request: open, known: request.settled, isNew: false } satisfies Recorded;
    }
    default:
      return precedence;
  }
}

/** What may stand in the way of a create. */
function candidates(db: Database, leaving: Leaving, about: About): KeptRequest[] {
  const found = [
    ...selectRequests(
      db,
      'idempotency_key = ? AND environment = ?',
      leaving.idempotencyKey,
      leaving.environment,
    ),
    ...selectRequests(db, 'body_mark = ? AND environment = ?', about.bodyMark, leaving.environment),
    ...(about.referenceMark === null
      ? []
      : selectRequests(
          db,
          'reference_mark = ? AND environment = ?',
          about.referenceMark,
          leaving.environment,
        )),
  ];
  return [...new Map(found.map((request) => [request.row, request])).values()];
}
