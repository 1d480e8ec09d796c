/**
 * Everything that is known of a company's operations: the mirror of the feed, and beside it what batches and single creates have become. What
 * is not final there is read from the service by its id.
 */
import type { Mirror } from '../../mirror/mirror.js';
import type { Where } from '../line/where.js';
import { senderOf } from '../session/address.js';
import type { SessionRun } from '../session/session.js';
import { withBatches, withJournal, withMirrors } from '../stores/stores-of-run.js';
import {
  findOperations,
  type Known,
  listOperations,
  ofBeginning,
  untold,
  readingById,
} from './operation-search.js';
import type { FoundOperation, OperationQuestion } from './found-operation.js';
import { openMirror } from './mirror.js';
import { reportReading } from './reading-progress.js';

export interface KnownOperations {
  /** What the feed has told; null where nothing shows whose key this is. */
  readonly mirror: Mirror | null;
  /** What the feed does not tell, or not yet: each once, in blocks; what is not final as the service says it is now. */
  beside(): AsyncIterable<readonly FoundOperation[]>;
  /** The latest for which the question holds, newest first. */
  list(question: OperationQuestion, limit: number): Promise<FoundOperation[]>;
  /** Whose reference, bank reference or id that is, or whose id begins so; newest first, so many at the most. */
  find(text: string, limit: number): Promise<FoundOperation[]>;
  /** Whose id begins so, as they were last seen. */
  ofBeginning(beginning: string, limit: number): Promise<FoundOperation[]>;
  /** How many that are not final were left as they were last seen, because no more are read. */
  unread(): number;
}

/** Whoever asks, and whether they want to be told how far the reading is. */
type KnownRun = SessionRun<Where & { readonly quiet?: boolean }>;

/** As before a payment; or only what has come since, which is enough to find something: what shows late is in the books until then. */
type FeedReading = 'whole' | 'news';

/**
 * @param run a session whose books are looked through
 * @param isOffline nothing is asked of the service: neither its events nor an operation
 * @param reading how the events are read before that
 * @throws Failure by the table of exit codes; `local_state`; Stopped
 */
export async function withKnownOperations<T>(
  run: KnownRun,
  isOffline: boolean,
  work: (known: KnownOperations) => Promise<T>,
  reading: FeedReading = 'whole',
): Promise<T> {
  if (!isOffline) await bringUpToDate(run, reading);
  return withMirrors(run, (mirrors) =>
    withJournal(run, (journal) =>
      withBatches(run, async (store) => {
        const { session, ports } = run;
        const place = await senderOf(session, ports, mirrors.keySalt);
        const company = await mirrors.companyOf(place);
        const mirror = company === null ? null : mirrors.of(company);
        const heardMs = (await mirror?.heardAtMs()) ?? null;
        if (heardMs !== null) session.clock.atLeast(heardMs);
        const books = { store, journal, mirrors, session, place, company };
        return work(overBooks({ books, mirror, ...readingById(isOffline ? null : run) }));
      }),
    ),
  );
}

async function bringUpToDate(run: KnownRun, reading: FeedReading): Promise<void> {
  const open = await openMirror(run);
  try {
    const progress = reportReading(run.ports, run.flags);
    const read = reading === 'whole' ? open.sync(progress.onPage) : open.catchUp(progress.onPage);
    await read.finally(() => progress.end());
  } finally {
    await open.close();
  }
}

function overBooks(known: Known): KnownOperations {
  return {
    mirror: known.mirror,
    unread: () => known.unread(),
    beside: async function* beside() {
      for await (const block of untold(known, { beginning: '', sinceMs: null })) yield known.asOfNow(block);
    },
    list: (question, limit) => listOperations(known, question, limit),
    find: (text, limit) => findOperations(known, text, limit),
    ofBeginning: (beginning, limit) => ofBeginning(known, beginning, limit),
  };
}
