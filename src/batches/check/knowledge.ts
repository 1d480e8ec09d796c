import { requireYes } from '../../payments/confirm.js';
import type { Knowledge } from '../../payments/known/evidence.js';
import { Gate } from '../run/gate.js';
import type { Batch } from '../../storage/batches/batch-store.js';
import type { Journal } from '../../storage/journal/journal.js';
import type { CompanyMatch } from '../../storage/journal/precedence.js';
import { ownerOf } from '../../feed/company.js';
import { markContradicted } from '../../feed/contradictions.js';
import { openMirror, type OpenMirror } from '../../feed/open-mirror.js';
import { commandLine } from '../../runtime/shell.js';
import { recallServiceTime } from '../../session/session.js';
import type { CheckFlags, SendingOptions } from '../flags.js';
import { toDisposable, openTogether } from '../../runtime/disposal.js';
import type { Stores } from '../../storage/stores.js';
import { feedUnreadableFailure } from '../../payments/known/settle-from-feed.js';
import { KeyNotes } from '../../payments/known/key-notes.js';
import { SingleCreates } from '../../payments/known/known-payments.js';
import type { SessionRun } from '../../command/command.js';

export interface OpenKnowledge {
  readonly knowledge: Knowledge;
  readonly mirror: OpenMirror;
  readonly journal: Journal;
}

export type Pace = Pick<SendingOptions, 'concurrency' | 'ratePerSecond'>;

export async function openKnowledge(
  run: SessionRun<CheckFlags>,
  { concurrency, ratePerSecond }: Pace,
): Promise<OpenKnowledge & AsyncDisposable> {
  if (run.flags['skip-feed-check'] === true) requireYes('skip-feed-check', run);
  const stores = await run.app.stores();
  return openTogether(async (use) => {
    const journal = use(await stores.openJournal());
    const { clock, signal } = run.ports;
    const gate = new Gate(clock, ratePerSecond, signal);
    const mirror = use(toDisposable(await openMirror(run, { concurrency, waitForTurn: () => gate.pass() })));
    use({ [Symbol.dispose]: () => gate.close(null) });
    return { knowledge: await knowledgeOf(mirror, journal, run), mirror, journal };
  });
}

async function knowledgeOf(
  open: OpenMirror,
  journal: Journal,
  run: SessionRun<CheckFlags>,
): Promise<Knowledge> {
  const { environment } = run.session;
  let lastRow = await journal.lastRow();
  let update: Promise<void> | null = null;
  const owners = new Map<string, CompanyMatch>();
  const singleReader = new SingleCreates({
    place: open.place,
    mirrors: () => Promise.resolve(open.mirrors),
    newestOf: (keyPrint) => journal.newestOf(keyPrint, environment),
    read: open.read,
  });
  return {
    bringUpToDate: (again) => {
      if (again !== undefined || update === null) {
        update = (async () => {
          open.provedMirror.forgetPending();
          lastRow = await journal.lastRow();
          const isSkipped = run.flags['skip-feed-check'] === true && again !== 'always';
          await (isSkipped ? run.session.note(UNREAD_NOTE) : syncOrRefuse(open, run, again === 'always'));
          // Asks for the service's time too, because pages of events do not carry it.
          await recallServiceTime(journal, open.place, run);
        })();
      }
      return update;
    },
    findByReferences: (...query) => open.provedMirror.ofReferences(...query),
    findByIds: (ids) => open.provedMirror.ofIds(ids),
    findContradicted: (statuses) => markContradicted(open.mirror, open.provedMirror, statuses),
    singles: async (direction, referenceMarks) =>
      singleReader.of(await journal.ofReferences({ environment, direction, referenceMarks })),
    newSingles: async (direction) => {
      const requests = await journal.afterRow(lastRow);
      return singleReader.of(
        requests.filter((one) => one.environment === environment && one.direction === direction),
      );
    },
    ownerOf: async (company, operation) => {
      const pair = JSON.stringify([company, operation]);
      const owner =
        owners.get(pair) ?? (await ownerOf(open.mirrors, { company, operation }, open.place, open.read));
      owners.set(pair, owner);
      return owner;
    },
    keyNotes: new KeyNotes(journal, open.place, run),
    isRunning: async (batch) => (await run.app.stores()).isAtWork(batch),
  };
}

export async function openLocalKnowledge(
  { environment, origin, company }: Batch,
  stores: Stores,
): Promise<Knowledge & AsyncDisposable> {
  const noKnowledge: Knowledge = {
    bringUpToDate: () => Promise.resolve(),
    findByReferences: () => Promise.resolve(new Map()),
    findByIds: () => Promise.resolve(new Map()),
    findContradicted: () => Promise.resolve(new Map()),
    singles: () => Promise.resolve([]),
    newSingles: () => Promise.resolve([]),
    ownerOf: () => Promise.resolve('unknown'),
    keyNotes: {
      note: () => Promise.resolve(),
      lookUpUsed: () => Promise.reject(new TypeError('nothing is asked')),
    },
    isRunning: () => Promise.resolve(false),
  };
  return openTogether(async (use) => {
    if (stores.where.isShared || !stores.has('journal') || !stores.has('mirrors')) return noKnowledge;
    const mirrors = use(await stores.openMirrors());
    const batchCompany = company === null ? null : await mirrors.companyById(company);
    if (batchCompany === null) return noKnowledge;
    const journal = use(await stores.openJournal());
    const singleReader = new SingleCreates({
      place: { environment, origin, keyPrint: '' },
      ownCompany: batchCompany,
      mirrors: () => Promise.resolve(mirrors),
      newestOf: () => Promise.resolve(null),
      read: () => Promise.resolve('unknown'),
    });
    return {
      ...noKnowledge,
      findByIds: (ids) => mirrors.of(batchCompany).ofIds(ids),
      singles: async (direction, referenceMarks) =>
        singleReader.of(await journal.ofReferences({ environment, direction, referenceMarks })),
    };
  });
}

async function syncOrRefuse(open: OpenMirror, { session, typed }: SessionRun, isTakeover: boolean) {
  try {
    await open.sync();
    const heardMs = await open.mirror.heardAtMs();
    if (heardMs !== null) session.clock.noteEventTime(heardMs);
  } catch (error) {
    const why = isTakeover
      ? 'Another database server took over, and only the events show what was sent before. Nothing was sent. Run this again later.'
      : 'Nothing was sent. Run this again later. If you know that none of it was paid, add --skip-feed-check.';
    throw feedUnreadableFailure(
      error,
      (head) =>
        `${head.replace(/ Nothing was sent\.$/, '')} svc cannot read the events, so it does not know whether anything of this was already paid. ${why}`,
      { nextCommand: commandLine(['svc', ...typed]) },
    );
  }
}

const UNREAD_NOTE =
  'svc did not read the events, so it does not know whether anything of this was paid from elsewhere.';
