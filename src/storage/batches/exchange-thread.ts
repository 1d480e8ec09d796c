import { openDatabase } from '../../runtime/database.js';
import { answerQuestions } from '../../runtime/thread.js';
import { exchangeRows } from './exchange.js';
import { type ExchangeQuestion, type PackedRows, RowPacker, unpackResults } from './threaded-store.js';
import { storeError } from './records.js';
import { BATCHES_KIND, ROWS_BY_OPERATION } from './schema.js';

answerQuestions((file) => {
  const db = openDatabase(file as string, BATCHES_KIND);
  db.transaction(() => db.run(ROWS_BY_OPERATION));
  return {
    answer: (question): PackedRows => {
      const { batch, results, claim } = question as ExchangeQuestion;
      const packer = new RowPacker();
      try {
        db.transaction(() =>
          exchangeRows(db, batch, { results: unpackResults(results), claim }, (row) => packer.add(row)),
        );
      } catch (error) {
        throw storeError(error);
      }
      return packer.packed();
    },
    close: () => db.close(),
  };
});
