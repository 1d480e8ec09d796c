/** `svc operations list`: what was paid and collected, newest first. */
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { takes } from '../../cli/line/flags.js';
import { DIRECTIONS } from '../../contract/operation.js';
import { listOfOperations, offlineFlag } from './operations.js';

export default class OperationsList extends SvcCommand {
  static override readonly summary =
    'List the operations that the events, the batches and the kept creates of this machine tell of, newest first.';
  static override readonly examples = [
    'svc operations list --since 24h --status failed',
    'svc operations list --reference order-1 --jq ".operations[].id"',
    'svc operations list --direction payout --limit 1000 -o csv',
  ];
  static override readonly ownExitCodes = [6, 10, 11];
  static override readonly args = {};
  static override readonly flags = {
    status: Flags.string({ summary: 'Only these.', options: ['pending', 'confirmed', 'failed'] }),
    direction: Flags.string({ summary: 'Only money that comes in, or goes out.', options: [...DIRECTIONS] }),
    method: Flags.string({ summary: 'Only of this method.', ...takes('method') }),
    since: Flags.string({
      summary:
        'Only what became final, or is pending and was made, since then: a time, a day, or how long ago.',
      helpValue: 'TIME',
    }),
    until: Flags.string({ summary: 'The same up to then; a day is meant to its end.', helpValue: 'TIME' }),
    reference: Flags.string({ summary: 'Only with this reference, in any spelling.', helpValue: 'TEXT' }),
    limit: Flags.string({ summary: 'At most so many [default: 50].', helpValue: 'N' }),
    offline: offlineFlag,
  };

  async run(): Promise<void> {
    const run = await this.line(OperationsList);
    await listOfOperations(run);
  }
}
