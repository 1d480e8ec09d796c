/** What people decided about rows, kept beside them: a later retry changes the row and not the record. */
import type { Database } from '../../runtime/database.js';
import { stateOf } from './records.js';
import type { Decided } from './row.js';

export function addDecision(db: Database, batch: number, decided: Decided): void {
  const { number, generation, decision, state, operation, decidedAtMs } = decided;
  db.run(
    'INSERT INTO decisions (batch, number, generation, decision, state, operation, decided_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[batch, number, generation, decision, state, operation, decidedAtMs],
  );
}

interface DecisionRecord {
  readonly number: number;
  readonly generation: number;
  readonly decision: string;
  readonly state: string;
  readonly operation: string | null;
  readonly decided_at: number;
}

export function selectDecisions(db: Database, batch: number): Decided[] {
  const records = db
    .query<DecisionRecord>('SELECT * FROM decisions WHERE batch = ? ORDER BY decision_id')
    .all(batch);
  return records.map(({ number, generation, decision, state, operation, decided_at: decidedAtMs }) => ({
    number,
    generation,
    decision: decision === 'operation' ? 'operation' : 'not_paid',
    state: stateOf(state),
    operation,
    decidedAtMs,
  }));
}
