/**
 * Everything that is known of a company's operations: the mirror of the feed, and beside it what batches and single creates have become. What
 * is not final there is read from the service by its id.
 */
import type { OperationRows } from '../../bulk/store/batch-store.js';
import { isUuid } from '../../contract/notation.js';
import { DIRECTIONS, isFinal } from '../../contract/operation.js';
import { foldReference } from '../../contract/reference.js';
import type { Mirror } from '../../mirror/mirror.js';
import { lookUp } from '../call/looking-up.js';
import type { Where } from '../line/where.js';
import { senderOf } from '../session/address.js';
import type { SessionRun } from '../session/session.js';
import { withBatches, withJournal, withMirrors } from '../stores/stores-of-run.js';
import { besideFeed, besideWithReference, type OpenStores } from './outside-feed.js';
import {
  type FoundOperation,
  inTime,
  isMeant,
  NOWHERE,
  ofAnswer,
  ofFeed,
  type OperationQuestion,
  timeOf,
} from './found-operation.js';
import { openMirror } from './mirror.js';
import { reportReading } from './reading-progress.js';

/**
 * @param run a session whose stores are looked through; standard error says how far the reading is, unless `quiet`
 * @param isOffline nothing is asked of the service: neither its events nor an operation
 * @param reading how the events are read before that: as before a payment; or only what has come since, which is enough to find something,
 *   because what shows late is in the stores until then
 * @throws Failure by the table of exit codes; `local_state`; Stopped
 */
export async function withKnownOperations<T>(
  run: SessionRun<Where & { readonly quiet?: boolean }>,
  isOffline: boolean,
  work: (known: KnownOperations) => Promise<T>,
  reading: 'whole' | 'news' = 'whole',
): Promise<T> {
  if (!isOffline) {
    const open = await openMirror(run);
    try {
      const progress = reportReading(run.ports, run.flags);
      const read = reading === 'whole' ? open.sync(progress.onPage) : open.catchUp(progress.onPage);
      await read.finally(() => progress.end());
    } finally {
      await open.close();
    }
  }
  return withMirrors(run, (mirrors) =>
    withJournal(run, (journal) =>
      withBatches(run, async (store) => {
        const { session, ports } = run;
        const place = await senderOf(session, ports, mirrors.keySalt);
        const company = await mirrors.companyOf(place);
        const mirror = company === null ? null : mirrors.of(company);
        const heardMs = (await mirror?.heardAtMs()) ?? null;
        if (heardMs !== null) session.clock.atLeast(heardMs);
        const stores = { store, journal, mirrors, session, place, company };
        return work(new KnownOperations(stores, mirror, isOffline ? null : run));
      }),
    ),
  );
}

/** Fewer characters are no beginning of an id. */
const BEGINNING_MIN = 6;
/** Of how many it is looked up which row or create has made them. */
const ORIGINS_MAX = 20;
/** For one question: more is pending only while a large batch is on its way, and then its sender waits for it. */
const READS_MAX = 200;
const READS_AT_ONCE = 4;

export class KnownOperations {
  #reads = 0;
  #unread = 0;

  /**
   * @param mirror what the events say; null where nothing shows whose key this is
   * @param run what the service is asked with; null where it is not asked
   */
  constructor(
    private readonly stores: OpenStores,
    readonly mirror: Mirror | null,
    private readonly run: SessionRun<Where> | null,
  ) {}

  /** How many that are not final were left as they were last seen, because no more are read. */
  get unread(): number {
    return this.#unread;
  }

  /** What is in no event, or not yet: each once, in blocks; what is not final as the service says it is now. */
  async *beside(): AsyncGenerator<readonly FoundOperation[]> {
    for await (const block of this.#inNoEvent({ beginning: '', sinceMs: null })) yield this.#asOfNow(block);
  }

  /** The latest for which the question holds, newest first. */
  async list(question: OperationQuestion, limit: number): Promise<FoundOperation[]> {
    const { reference, status, sinceMs = -Infinity } = question;
    const latest = (all: readonly FoundOperation[]): FoundOperation[] =>
      all
        .filter((one) => isMeant(one, question))
        .sort(inTime)
        .slice(0, limit);
    if (reference !== undefined) return latest(await this.#withReference(reference));
    // An event says what is final.
    const inEvents =
      status === 'pending' ? [] : ((await this.mirror?.list(question, limit)) ?? []).map(ofFeed);
    const oldest = inEvents.length < limit ? undefined : inEvents.at(-1);
    const beginMs = Math.max(sinceMs, oldest === undefined ? -Infinity : timeOf(oldest));
    const since = { beginning: '', sinceMs: Number.isFinite(beginMs) ? beginMs : null };
    // What is not final may have become anything since, and then.
    const maybe = { direction: question.direction };
    let newest: FoundOperation[] = [];
    for await (const block of this.#inNoEvent(since)) {
      const meant = block.filter((one) =>
        isMeant(one, isFinal(one.status) ? { ...question, method: undefined } : maybe),
      );
      newest = [...newest, ...meant].sort(inTime);
      const left = newest.splice(Math.max(limit, READS_MAX));
      if (this.run !== null) this.#unread += left.filter((one) => !isFinal(one.status)).length;
    }
    return latest([...inEvents, ...(await this.#asOfNow(newest))]);
  }

  /** Whose reference, bank reference or id that is, or whose id begins so; newest first, so many at the most. */
  async find(text: string, limit: number): Promise<FoundOperation[]> {
    const found = new Map<string, FoundOperation>();
    const add = (operations: readonly FoundOperation[]): void => {
      for (const one of operations) if (!found.has(one.id)) found.set(one.id, one);
    };
    add(await this.#withReference(text));
    for (const bank of new Set([text, text.toLowerCase(), text.toUpperCase(), foldReference(text)]))
      add(((await this.mirror?.ofBankReference(bank, limit)) ?? []).map(ofFeed));
    if (text.length >= BEGINNING_MIN)
      add(await this.#asOfNow(await this.ofBeginning(text.toLowerCase(), limit)));
    if (found.size === 0 && isUuid(text)) add(await this.#ofService(text));
    return this.#withOrigins([...found.values()].sort(inTime).slice(0, limit));
  }

  /** Whose id begins so, as they were last seen. */
  async ofBeginning(beginning: string, limit: number): Promise<FoundOperation[]> {
    const found = ((await this.mirror?.ofBeginning(beginning, limit)) ?? []).map(ofFeed);
    for await (const block of this.#inNoEvent({ beginning, sinceMs: null })) {
      found.push(...block);
      if (found.length > limit) break;
    }
    return found.sort(inTime).slice(0, limit);
  }

  /** Operations that the stores know and no event says: each once. */
  async *#inNoEvent(which: OperationRows): AsyncGenerator<readonly FoundOperation[]> {
    const seen = new Set<string>();
    for await (const block of besideFeed(this.stores, which)) {
      const fresh = (await this.#withoutEvents(block)).filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      if (fresh.length > 0) yield fresh;
    }
  }

  async #withoutEvents(found: readonly FoundOperation[]): Promise<FoundOperation[]> {
    const inEvents = await this.mirror?.ofIds(found.map(({ id }) => id));
    return found.filter(({ id }) => inEvents?.has(id) !== true);
  }

  async #withReference(reference: string): Promise<FoundOperation[]> {
    const folded = foldReference(reference);
    const inEvents: FoundOperation[] = [];
    for (const direction of DIRECTIONS) {
      const operations = await this.mirror?.ofReferences(direction, [folded]);
      inEvents.push(...(operations?.get(folded) ?? []).map(ofFeed));
    }
    const beside = await besideWithReference(this.stores, reference);
    return [...inEvents, ...(await this.#asOfNow(await this.#withoutEvents(beside)))];
  }

  /** With the row or the create that has made each, where the stores know it. */
  async #withOrigins(found: readonly FoundOperation[]): Promise<FoundOperation[]> {
    const names = [...new Set(found.map(({ reference }) => reference))].slice(0, ORIGINS_MAX);
    const makers = new Map<string, FoundOperation>();
    for (const name of names)
      if (name !== null)
        for (const one of await besideWithReference(this.stores, name)) makers.set(one.id, one);
    return found.map((one) => {
      const { batch, line, idempotencyKey } = makers.get(one.id) ?? one;
      return { ...one, batch, line, idempotencyKey };
    });
  }

  /** As the service says it is now; without what it says that this company does not have. In the same order. */
  async #asOfNow(found: readonly FoundOperation[]): Promise<FoundOperation[]> {
    const answers: FoundOperation[] = [];
    for (let at = 0; at < found.length; at += READS_AT_ONCE) {
      const some = found.slice(at, at + READS_AT_ONCE).map((one) => this.#read(one));
      answers.push(...(await Promise.all(some)).filter((one) => one !== null));
    }
    return answers;
  }

  async #read(found: FoundOperation): Promise<FoundOperation | null> {
    if (this.run === null || isFinal(found.status) || !isUuid(found.id)) return found;
    if (this.#reads >= READS_MAX) {
      this.#unread += 1;
      return found;
    }
    this.#reads += 1;
    const said = await lookUp(found.id, this.run);
    return said === null ? null : (ofAnswer(said.operation, found) ?? found);
  }

  /** One that nothing here knows; none where the service has none either. */
  async #ofService(id: string): Promise<FoundOperation[]> {
    const said = this.run === null ? null : await lookUp(id, this.run);
    const found = said === null ? null : ofAnswer(said.operation, { ...NOWHERE, source: 'service' });
    return found === null ? [] : [found];
  }
}
