/** `svc batches export`: the rows of a batch and what became of each. */
import * as Flags from '@oclif/core/flags';
import { ROW_STATES, STATE_WORDS, statesOf } from '../../bulk/row-state.js';
import { SvcCommand } from '../../cli/command.js';
import { exportBatch } from './exporting.js';
import { batchArgs } from '../../cli/bulk/flags.js';

export default class BatchesExport extends SvcCommand {
  static override readonly summary =
    'Print the rows of a batch and what became of each: a table at a terminal, else CSV.';
  static override readonly examples = [
    'svc batches export $BATCH > results.csv',
    'svc batches export $BATCH --state failed,rejected',
    'svc batches export $BATCH --state failed -o ndjson',
  ];
  static override readonly ownExitCodes = [5];
  static override readonly args = batchArgs;
  static override readonly flags = {
    state: Flags.string({
      summary: 'Only rows in these states, separated by commas',
      options: STATE_WORDS,
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
    }),
  };

  async run(): Promise<void> {
    const run = await this.line(BatchesExport);
    const { flags } = run;
    const asked = STATE_WORDS.filter((word) => flags.state?.includes(word)).flatMap(statesOf);
    const states = ROW_STATES.filter((state) => flags.state === undefined || asked.includes(state));
    await exportBatch(run, run.args.name, states);
  }
}
