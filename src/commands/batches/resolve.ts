/** `svc batches resolve`: a person's word about a row that needs review. */
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { batchArgs, continuingFlags } from '../../cli/bulk/flags.js';
import { resolveRow } from './resolution.js';
import { withWholeOperation } from '../../cli/feed/short-id.js';
import { idBeginning, isUuid } from '../../contract/notation.js';
import { Failure } from '../../runtime/failure.js';

const WHAT = { helpGroup: 'WHAT BECAME OF IT' };

export default class BatchesResolve extends SvcCommand {
  static override readonly summary = 'Say what became of a row that needs review.';
  static override readonly description =
    'Nothing is sent. With --not-paid svc asks the service first; then the row counts as failed, and "svc batches retry" sends it again.';
  static override readonly examples = [
    'svc batches resolve $BATCH --reference emp-0001 --operation $ID',
    'svc batches resolve $BATCH --reference emp-0002 --not-paid',
  ];
  static override readonly ownExitCodes = [5, 10, 11, 15];
  static override readonly needs = ['reference'];
  static override readonly args = batchArgs;
  static override readonly flags = {
    reference: Flags.string({ summary: 'Reference of the row', helpValue: 'REF', required: true, ...WHAT }),
    operation: Flags.string({
      summary: 'The row became this operation (of the same reference)',
      helpValue: 'ID',
      ...WHAT,
    }),
    'not-paid': Flags.boolean({ summary: 'The row was not paid', ...WHAT }),
    'skip-feed-check': continuingFlags['skip-feed-check'],
    'same-company': continuingFlags['same-company'],
  };

  async run(): Promise<void> {
    const run = await this.line(BatchesResolve);
    const { flags } = run;
    const isClear = flags.operation === undefined ? flags['not-paid'] : !flags['not-paid'];
    if (!isClear) throw new Failure('usage', 'Add --operation ID or --not-paid. Nothing was changed.');
    requireId('--operation', flags.operation);
    await resolveRow(await withWholeOperation(run), run.args.name);
  }
}

function requireId(name: string, id: string | undefined): void {
  if (id === undefined || isUuid(id) || idBeginning(id) !== null) return;
  throw new Failure('usage', `${name} takes the id of an operation. Nothing was changed.`);
}
