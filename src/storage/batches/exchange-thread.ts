import { openDatabase } from '../../runtime/database.js';
import { answerQuestions } from '../../runtime/thread.js';
import { exchangeRows } from './exchange.js';
import type { ExchangeQuestion } from './threaded-store.js';
import { storeError, type TakenRow } from './records.js';
import { BATCHES_KIND, ROWS_BY_OPERATION } from './schema.js';

answerQuestions((file) => {
  const db = openDatabase(file as string, BATCHES_KIND);
  db.transaction(() => db.run(ROWS_BY_OPERATION));
  return {
    answer: (question): TakenRow[] => {
      const { batch, results, claim } = question as ExchangeQuestion;
      try {
        return db.transaction(() => exchangeRows(db, batch, results, claim));
      } catch (error) {
        throw storeError(error);
      }
    },
    close: () => db.close(),
  };
});
