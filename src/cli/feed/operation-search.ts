/** How operations are found in all that is known of them: what was last, and what is called so. */
import type { OperationRows } from '../../bulk/store/batch-store.js';
import { isUuid } from '../../contract/notation.js';
import { DIRECTIONS, isFinal } from '../../contract/operation.js';
import { spellingsOf } from '../../contract/reference.js';
import { besideFeed, besideWithReference, type Books } from './beside-feed.js';
import type { Mirror } from '../../mirror/mirror.js';
import {
  type FoundOperation,
  inTime,
  isMeant,
  ofFeed,
  type OperationQuestion,
  timeOf,
  NOWHERE,
  ofAnswer,
} from './found-operation.js';
import type { Where } from '../line/where.js';
import { lookUp } from '../call/looking-up.js';
import type { SessionRun } from '../session/session.js';

/** What finding works with. */
export interface Known extends ReadingById {
  readonly books: Books;
  /** Null where nothing shows whose key this is. */
  readonly mirror: Mirror | null;
}

/** Fewer characters are no beginning of an id. */
const BEGINNING_MIN = 6;
/** Of how many it is looked up which row or create has made them. */
const ORIGINS_MAX = 20;

/** What the books know and the feed does not: each once. */
export async function* untold(known: Known, which: OperationRows): AsyncGenerator<readonly FoundOperation[]> {
  const seen = new Set<string>();
  for await (const block of besideFeed(known.books, which)) {
    const fresh = (await withoutTold(known, block)).filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    if (fresh.length > 0) yield fresh;
  }
}

async function withoutTold({ mirror }: Known, found: readonly FoundOperation[]): Promise<FoundOperation[]> {
  const told = await mirror?.ofIds(found.map(({ id }) => id));
  return found.filter(({ id }) => told?.has(id) !== true);
}

/** The latest for which the question holds, newest first. */
export async function listOperations(
  known: Known,
  question: OperationQuestion,
  limit: number,
): Promise<FoundOperation[]> {
  const { reference, status, sinceMs = -Infinity } = question;
  const latest = (all: readonly FoundOperation[]): FoundOperation[] =>
    all
      .filter((one) => isMeant(one, question))
      .sort(inTime)
      .slice(0, limit);
  if (reference !== undefined) return latest(await withReference(known, reference));
  // An event tells of what is final.
  const told = status === 'pending' ? [] : ((await known.mirror?.list(question, limit)) ?? []).map(ofFeed);
  const oldest = told.length < limit ? undefined : told.at(-1);
  const beginMs = Math.max(sinceMs, oldest === undefined ? -Infinity : timeOf(oldest));
  // What is not final may have become anything since, and then.
  const maybe = { direction: question.direction };
  let newest: FoundOperation[] = [];
  for await (const block of untold(known, {
    beginning: '',
    sinceMs: Number.isFinite(beginMs) ? beginMs : null,
  })) {
    const meant = block.filter((one) =>
      isMeant(one, isFinal(one.status) ? { ...question, method: undefined } : maybe),
    );
    newest = [...newest, ...meant].sort(inTime);
    known.leave(newest.splice(Math.max(limit, READS_MAX)));
  }
  return latest([...told, ...(await known.asOfNow(newest))]);
}

/** Whose reference, bank reference or id that is, or whose id begins so. */
export async function findOperations(known: Known, text: string, limit: number): Promise<FoundOperation[]> {
  const found = new Map<string, FoundOperation>();
  const add = (operations: readonly FoundOperation[]): void => {
    for (const one of operations) if (!found.has(one.id)) found.set(one.id, one);
  };
  add(await withReference(known, text));
  for (const bank of new Set([text, text.toLowerCase(), text.toUpperCase(), ...spellingsOf(text)]))
    add(((await known.mirror?.ofBankReference(bank, limit)) ?? []).map(ofFeed));
  if (text.length >= BEGINNING_MIN)
    add(await known.asOfNow(await ofBeginning(known, text.toLowerCase(), limit)));
  if (found.size === 0 && isUuid(text)) add(await known.ofService(text));
  return withOrigins(known, [...found.values()].sort(inTime).slice(0, limit));
}

/** Whose id begins so, as they were last seen. */
export async function ofBeginning(known: Known, beginning: string, limit: number): Promise<FoundOperation[]> {
  const found = ((await known.mirror?.ofBeginning(beginning, limit)) ?? []).map(ofFeed);
  for await (const block of untold(known, { beginning, sinceMs: null })) {
    found.push(...block);
    if (found.length > limit) break;
  }
  return found.sort(inTime).slice(0, limit);
}

/** In whatever case: each spelling that it may have is looked for by itself. */
async function withReference(known: Known, reference: string): Promise<FoundOperation[]> {
  const spellings = spellingsOf(reference);
  const others = spellings.slice(1);
  const told: FoundOperation[] = [];
  for (const direction of DIRECTIONS) {
    const operations = await known.mirror?.ofReferences(direction, spellings);
    told.push(...spellings.flatMap((folded) => (operations?.get(folded) ?? []).map(ofFeed)));
  }
  const beside: FoundOperation[] = [];
  for (const spelling of [reference, ...others])
    beside.push(...(await besideWithReference(known.books, spelling)));
  return [...told, ...(await known.asOfNow(await withoutTold(known, beside)))];
}

/** With the row or the create that has made each, where the books know it. */
async function withOrigins(known: Known, found: readonly FoundOperation[]): Promise<FoundOperation[]> {
  const names = [...new Set(found.map(({ reference }) => reference))].slice(0, ORIGINS_MAX);
  const makers = new Map<string, FoundOperation>();
  for (const name of names)
    if (name !== null)
      for (const one of await besideWithReference(known.books, name)) makers.set(one.id, one);
  return found.map((one) => {
    const { batch, line, idempotencyKey } = makers.get(one.id) ?? one;
    return { ...one, batch, line, idempotencyKey };
  });
}

/** For one question: more is pending only while a large batch is on its way, and then whoever sends it waits for it. */
export const READS_MAX = 200;
const READS_AT_ONCE = 4;

interface ReadingById {
  /** As the service says it is now; without what it says that this company does not have. In the same order. */
  asOfNow(found: readonly FoundOperation[]): Promise<FoundOperation[]>;
  /** One that nothing here knows; none where the service has none either. */
  ofService(id: string): Promise<FoundOperation[]>;
  /** These stay as they were last seen. */
  leave(found: readonly FoundOperation[]): void;
  /** How many that are not final did. */
  unread(): number;
}

/** @param run what the service is asked with; null where it is not asked */
export function readingById(run: SessionRun<Where> | null): ReadingById {
  let [reads, unread] = [0, 0];
  const read = async (found: FoundOperation): Promise<FoundOperation | null> => {
    if (run === null || isFinal(found.status) || !isUuid(found.id)) return found;
    if (reads >= READS_MAX) {
      unread += 1;
      return found;
    }
    reads += 1;
    const said = await lookUp(found.id, run);
    return said === null ? null : (ofAnswer(said.operation, found) ?? found);
  };
  return {
    asOfNow: async (found) => {
      const answers: FoundOperation[] = [];
      for (let at = 0; at < found.length; at += READS_AT_ONCE) {
        const some = await Promise.all(found.slice(at, at + READS_AT_ONCE).map(read));
        answers.push(...some.filter((one) => one !== null));
      }
      return answers;
    },
    ofService: async (id) => {
      const said = run === null ? null : await lookUp(id, run);
      const found = said === null ? null : ofAnswer(said.operation, { ...NOWHERE, source: 'service' });
      return found === null ? [] : [found];
    },
    leave: (found) => {
      if (run !== null) unread += found.filter((one) => !isFinal(one.status)).length;
    },
    unread: () => unread,
  };
}
