/** What batches ask before anything leaves, out of the mirror of the feed and the book of single creates. */
import type { Knowledge, SingleCreate } from '../../bulk/check/knowledge.js';
import type { Journal } from '../../journal/journal.js';
import type { KeptRequest } from '../../journal/request.js';
import { Failure } from '../../runtime/failure.js';
import type { House } from '../command.js';
import { openRequests } from '../stores/open-requests.js';
import { ownerOf, type Owner } from '../../mirror/company.js';
import { openMirror, type OpenMirror } from '../feed/mirror.js';
import { commandLine } from '../line/shell.js';
import { hear } from '../session/hearing.js';
import type { Session } from '../session/session.js';
import type { AskingFlags } from './flags.js';
import { lookUp } from '../call/looking-up.js';
import { isRunning } from '../stores/batches.js';

export interface OpenKnowledge {
  readonly knowledge: Knowledge;
  readonly mirror: OpenMirror;
  close(): Promise<void>;
}

/** @throws Failure where the company can't be identified, or a store can't be used */
export async function openKnowledge(
  session: Session,
  house: House,
  flags: AskingFlags,
): Promise<OpenKnowledge> {
  requireYes(session, flags);
  const journal = await openRequests(house.ports);
  try {
    const mirror = await openMirror(session, house, flags);
    const close = async (): Promise<void> => {
      journal.close();
      await mirror.close();
    };
    return { knowledge: knowledgeOf(mirror, journal, session, house, flags), mirror, close };
  } catch (error) {
    journal.close();
    throw error;
  }
}

function knowledgeOf(
  open: OpenMirror,
  journal: Journal,
  session: Session,
  house: House,
  flags: AskingFlags,
): Knowledge {
  const { environment } = session;
  let lastRow = journal.lastRow();
  let upToDate: Promise<void> | null = null;
  const owners = new Map<string, Owner>();
  const singles = new SingleCreates(open.place.keyPrint, session, house, flags);
  return {
    bringUpToDate: (again) => {
      if (again !== undefined || upToDate === null) {
        lastRow = journal.lastRow();
        upToDate = flags['skip-feed-check'] === true ? skipped(session, house) : synced(open, session, house);
      }
      return upToDate;
    },
    ofReferences: (direction, folded) => open.mirror.ofReferences(direction, folded),
    ofIds: (ids) => open.mirror.ofIds(ids),
    singles: (direction, referenceMarks) =>
      singles.of(journal.ofReferences({ environment, direction, referenceMarks })),
    newSingles: (direction) => {
      const all = journal.behind(lastRow);
      return singles.of(all.filter((one) => one.environment === environment && one.direction === direction));
    },
    ownerOf: async (company, operation) => {
      const name = JSON.stringify([company, operation]);
      const owner =
        owners.get(name) ?? (await ownerOf(open.mirrors, company, open.place, open.read, operation));
      owners.set(name, owner);
      return owner;
    },
    isRunning: (batch) => isRunning(house.ports, batch),
  };
}

async function synced(open: OpenMirror, session: Session, house: House): Promise<void> {
  try {
    await open.sync();
    const heardMs = await open.mirror.heardAtMs();
    if (heardMs !== null) session.clock.atLeast(heardMs);
  } catch (error) {
    throw unreadable(error, house);
  }
}

/** Nothing may have answered yet, and what is too old to be sent again is told by the service's time. */
async function skipped(session: Session, { ports }: House): Promise<void> {
  await session.note(
    'The events were not read: whether anything of this was paid from elsewhere is not known.',
  );
  await hear(session, ports);
}

/** What keeps the feed from being read keeps everything from being sent; a key that may not read it is what it is. */
function unreadable(error: unknown, { typed }: House): unknown {
  const isOther =
    !(error instanceof Failure) ||
    error.kind === 'no_access' ||
    error.kind === 'local_state' ||
    error.kind === 'locked';
  if (isOther) return error;
  return new Failure(
    'unsafe',
    `${error.head} So the events cannot be read, and it is not known whether anything of this was paid already. Nothing was sent. ` +
      'Run this again later; where you know that none of it was paid, --skip-feed-check sends without looking.',
    {
      ...error.facts,
      code: 'feed_unreadable',
      outcome: 'not_sent',
      retryable: true,
      nextCommand: commandLine(['svc', ...typed]),
      cause: error,
    },
  );
}

function requireYes({ environment }: Session, flags: AskingFlags): void {
  if (flags['skip-feed-check'] !== true || environment !== 'live' || flags.yes) return;
  throw new Failure('unsafe', 'Live, --skip-feed-check is confirmed with --yes. Nothing was sent.', {
    code: 'not_confirmed',
  });
}

/** Single creates as batches see them; whose they are is asked of the service once for each, and only where the key is another one. */
class SingleCreates {
  readonly #isOther = new Map<string, boolean>();

  constructor(
    private readonly keyPrint: string,
    private readonly session: Session,
    private readonly house: House,
    private readonly flags: AskingFlags,
  ) {}

  async of(requests: readonly KeptRequest[]): Promise<SingleCreate[]> {
    const singles: SingleCreate[] = [];
    for (const request of requests) {
      const {
        idempotencyKey: key,
        referenceMark,
        twinMark,
        amount,
        currency,
        firstLeftMs,
        settled,
      } = request;
      singles.push({
        ...{ key, amount, currency, firstLeftMs, isSettled: request.state === 'settled' },
        isForgotten: request.state === 'forgotten',
        operation: settled?.operation ?? null,
        status: settled?.status ?? null,
        referenceMark: Buffer.from(referenceMark ?? []).toString('hex'),
        twinMark: Buffer.from(twinMark).toString('hex'),
        isOtherCompany: await this.#isOtherCompany(request),
      });
    }
    return singles;
  }

  /** Certain only where this key does not see its operation. */
  async #isOtherCompany({ keyPrint, settled }: KeptRequest): Promise<boolean> {
    if (settled === null || keyPrint === '' || keyPrint === this.keyPrint) return false;
    const known = this.#isOther.get(settled.operation);
    if (known !== undefined) return known;
    const isOther = (await lookUp(settled.operation, this.session, this.house, this.flags)) === null;
    this.#isOther.set(settled.operation, isOther);
    return isOther;
  }
}
