/** Reads operations by their ids: what is not final may have become something else since it was seen. A few at a time, and so many at the most. */
import { isUuid } from '../../contract/notation.js';
import { isFinal } from '../../contract/operation.js';
import type { Where } from '../line/where.js';
import { lookUp } from '../call/looking-up.js';
import type { SessionRun } from '../session/session.js';
import { type FoundOperation, NOWHERE, ofAnswer } from './found-operation.js';

/** For one question: more is pending only while a large batch is on its way, and then whoever sends it waits for it. */
export const READS_MAX = 200;
const READS_AT_ONCE = 4;

export interface ReadingById {
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
