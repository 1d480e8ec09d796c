/** The line between a machine and the database: statements or their answers are lost on it, or come so late that nobody waits for them. */
import type { Answered, Connection } from '../../../../src/state/connection.js';
import { isInTheWay, isLost, refusedBy, unreachable } from '../../../../src/state/failures.js';
import type { Seeded } from '../../../support/seeded.js';
import type { SeveralMachine } from './machine.js';
import type { SeveralRule } from './rules.js';
import { type Database, EXCHANGE, STANDING } from './tables.js';

const STATEMENT_MS = 10_000;
const PATIENCE_MS = 60_000;

export interface DatabaseLine {
  readonly database: Database;
  readonly random: Seeded;
  /** How often something is lost on it. */
  readonly faultRate: number;
  readonly without: SeveralRule | null;
}

export function lineOf(
  machine: SeveralMachine,
  { database, random, faultRate, without }: DatabaseLine,
): Connection {
  const { time, clock } = machine;
  let lastSeq = 0;
  const once = <Row>(text: string, values: readonly unknown[] = []): Promise<Answered<Row>> =>
    new Promise((resolve, reject) => {
      if (text === EXCHANGE) lastSeq = values[1] as number;
      const fate = random.chance(faultRate) ? random.pick(['before', 'after', 'late'] as const) : 'answered';
      const lost = (ms: number): void =>
        machine.at(time.nowMs + ms, () => reject(new Error('the connection was cut')));
      if (fate === 'before') {
        lost(random.below(STATEMENT_MS));
        return;
      }
      if (fate === 'late') lost(STATEMENT_MS);
      // What is under way arrives, whatever has become of the machine.
      time.in(fate === 'late' ? STATEMENT_MS + random.below(30_000) : 1 + random.below(20), () => {
        const rows = database.execute(text, values);
        // Whoever does not ask takes it for not done.
        if (without === 'seq and home' && text === STANDING && rows[0] !== undefined)
          Object.assign(rows[0], { seq: lastSeq - 1 });
        if (fate === 'after') lost(random.below(STATEMENT_MS));
        else if (fate === 'answered')
          machine.at(time.nowMs + 1 + random.below(20), () =>
            resolve({ rows: rows as Row[], count: rows.length }),
          );
      });
    });
  const patiently = async <T>(attempt: (last: unknown) => Promise<T>): Promise<T> => {
    const untilMs = clock.monotonic() + PATIENCE_MS;
    for (let last: unknown = null; ;) {
      try {
        return await attempt(last);
      } catch (error) {
        if (!isLost(error) && !isInTheWay(error)) throw refusedBy(error);
        if (clock.monotonic() >= untilMs) throw unreachable(error);
        last = error;
        await clock.sleep(500);
      }
    }
  };
  return {
    once,
    patiently,
    run: (text, values) => patiently(() => once(text, values)),
    ...{ environment: 'sandbox' as const, script: () => Promise.resolve(), onlyRead: () => undefined },
    moving: () => '',
    isPooled: () => Promise.resolve(false),
    close: () => Promise.resolve(),
  };
}
