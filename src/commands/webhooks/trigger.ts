/** `svc webhooks trigger`: sends a signed sample event to a receiver. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { receiverFlags } from '../../cli/webhook/receiver.js';
import { trigger } from './triggering.js';
import { secretFlags, SECRET_PLACE } from './secrets.js';
import { EVENT_TYPES, type EventType } from '../../contract/events.js';

export default class WebhooksTrigger extends SvcCommand {
  static override readonly summary =
    'Send signed sample events to a receiver; also faulty ones, which it must reject.';
  static override readonly examples = [
    'svc webhooks trigger payin.failed --to http://localhost:3000/hooks',
    'svc webhooks trigger payout.confirmed --to http://localhost:3000/hooks --set amount=10.00',
    'svc webhooks trigger payin.failed --to http://localhost:3000/hooks --bad-signature',
  ];
  static override readonly ownExitCodes = [6, 10, 11];
  static override readonly heeds = SECRET_PLACE;
  static override readonly args = {
    type: Args.string({
      description: EVENT_TYPES.join(', '),
      required: true,
      options: [...EVENT_TYPES],
      ignoreStdin: true,
    }),
  };
  static override readonly flags = {
    to: Flags.string({ summary: 'URL of the receiver', helpValue: 'URL', required: true }),
    set: Flags.string({
      summary: 'Replace a value in the data of the event; repeatable',
      helpValue: 'PATH=VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    times: Flags.string({
      summary: 'How many events, each with its own id',
      helpValue: 'N',
      default: '1',
    }),
    'bad-signature': Flags.boolean({ summary: 'Sign with another secret' }),
    old: Flags.boolean({ summary: 'Sign with a time ten minutes ago' }),
    duplicate: Flags.boolean({ summary: 'Send each event twice, with the same id' }),
    ...secretFlags,
    ...receiverFlags,
  };

  async run(): Promise<void> {
    const run = await this.line(WebhooksTrigger);
    const { args, flags } = run;
    await trigger(this.ports, args.type as EventType, flags);
  }
}
