/** What the journal is as a database: its tables, and how the files of older versions become those of today. */
import type { DatabaseKind } from '../runtime/database-kind.js';
import { countSendings } from './migration-1.js';
import { REQUESTS } from './tables.js';

/** What the file of a journal is. Its mark is "svcj". */
export const JOURNAL_KIND = {
  name: 'journal of requests',
  whenGone:
    'It may know of creates whose outcome is not known: look for their references in "svc events list --all".',
  version: 2,
  applicationId: 0x7376636a,
  schema: REQUESTS,
  migrations: [{ from: 1, run: countSendings }],
} as const satisfies DatabaseKind;
