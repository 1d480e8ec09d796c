/** `svc operations list`: what was paid and collected, newest first. */
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { takes } from '../../cli/line/flags.js';
import { DIRECTIONS } from '../../contract/operation.js';
import { listOfOperations, offlineFlag } from './operations.js';

export default class OperationsList extends SvcCommand {
  static override readonly summary = 'List the operations known to this machine, newest first.';
  static override readonly description =
    'TIME is a date, a time or an age, such as 2026-09-01 or 24h. A final operation counts by the time it became final, a pending one by the time it was made.';
  static override readonly examples = [
    'svc operations list --since 24h --status failed',
    'svc operations list --reference order-1 --jq ".operations[].id"',
    'svc operations list --direction payout --limit 1000 -o csv',
  ];
  static override readonly ownExitCodes = [6, 10, 11];
  static override readonly args = {};
  static override readonly flags = {
    status: Flags.string({ summary: 'Only this status', options: ['pending', 'confirmed', 'failed'] }),
    direction: Flags.string({ summary: 'Only money in (payin) or out (payout)', options: [...DIRECTIONS] }),
    method: Flags.string({ summary: 'Only this method', ...takes('method') }),
    since: Flags.string({
      summary: 'Only from TIME on',
      helpValue: 'TIME',
    }),
    until: Flags.string({ summary: 'Only up to TIME; a date includes its whole day', helpValue: 'TIME' }),
    reference: Flags.string({
      summary: 'Only this reference; case and spaces do not matter',
      helpValue: 'TEXT',
    }),
    limit: Flags.string({ summary: 'Show at most N [default: 50]', helpValue: 'N' }),
    offline: offlineFlag,
  };

  async run(): Promise<void> {
    const run = await this.line(OperationsList);
    await listOfOperations(run);
  }
}
