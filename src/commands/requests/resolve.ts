/** `svc requests resolve`: a person's word about a create whose outcome nothing else can tell. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { withWholeFlag } from '../../cli/feed/short-id.js';
import { idBeginning, isUuid } from '../../contract/notation.js';
import { Failure } from '../../runtime/failure.js';
import { resolveRequest } from './resolution.js';

export default class RequestsResolve extends SvcCommand {
  static override readonly summary = 'Say what became of an open request; nothing is sent.';
  static override readonly examples = [
    'svc requests resolve $KEY --operation $ID',
    'svc requests resolve $KEY --not-paid',
  ];
  static override readonly ownExitCodes = [5, 10, 11];
  static override readonly args = {
    key: Args.string({ description: 'Idempotency key', required: true, ignoreStdin: true }),
  };
  static override readonly flags = {
    operation: Flags.string({
      summary: 'It became this operation (same direction and reference)',
      helpValue: 'ID',
    }),
    'not-paid': Flags.boolean({
      summary: 'It was not paid; svc asks the service first',
    }),
    'same-company': Flags.boolean({
      summary: 'The key is of the company that sent it (live: add --yes)',
    }),
  };

  async run(): Promise<void> {
    const run = await this.line(RequestsResolve);
    const { operation, 'not-paid': notPaid } = run.flags;
    const isClear = operation === undefined ? notPaid : !notPaid;
    if (!isClear) throw new Failure('usage', 'Add --operation ID or --not-paid. Nothing was changed.');
    if (operation !== undefined && !isUuid(operation) && idBeginning(operation) === null)
      throw new Failure('usage', '--operation must be the id of an operation. Nothing was changed.');
    await resolveRequest(await withWholeFlag(run, 'operation'), run.args.key);
  }
}
