/** `svc events forward`: delivers the feed to a receiver as signed webhooks, without a tunnel or a public address. */
import * as Flags from '@oclif/core/flags';
import { readTraceparent } from '../../client/request.js';
import { grouped } from '../../cli/line/flags.js';
import { SvcCommand } from '../../cli/command.js';
import { feedExitCodes, feedFlags } from './feed-flags.js';
import { followFeed } from './feed.js';
import { forwardSink } from '../../cli/feed/forward-sink.js';
import { forwardingSecret } from '../../cli/webhook/forwarding-secret.js';
import { withWholeFlag } from '../../cli/feed/short-id.js';
import { withLog } from '../../cli/printing/log.js';
import { openReceiver, receiverFlags } from '../../cli/webhook/receiver.js';
import { Failure } from '../../runtime/failure.js';

export default class EventsForward extends SvcCommand {
  static override readonly summary = 'Deliver the events to your receiver as signed webhooks, in order.';
  static override readonly examples = [
    'svc events forward --print-secret',
    'svc events forward --to http://localhost:3000/hooks --checkpoint hooks',
    'svc events forward --to http://localhost:3000/hooks --checkpoint hooks --health 9180 --log json',
  ];
  static override readonly ownExitCodes = [...feedExitCodes, 5];
  static override readonly needs = ['to'];
  static override readonly args = {};
  static override readonly flags = {
    ...grouped('WHERE THEY GO', {
      to: Flags.string({ summary: 'URL of the receiver', helpValue: 'URL' }),
      ...receiverFlags,
      'print-secret': Flags.boolean({ summary: 'Print the secret that signs them, and exit' }),
    }),
    ...feedFlags,
  };

  async run(): Promise<void> {
    const run = withLog(await withWholeFlag(await this.line(EventsForward), 'id'));
    const { flags, ports } = run;
    const secret = await forwardingSecret(ports);
    if (flags['print-secret']) return ports.output.write(`${secret}\n`);
    if (flags.to === undefined) throw new Failure('usage', 'Add --to URL, the receiver. Nothing was sent.');
    const receiver = await openReceiver(ports, flags.to, flags['allow-remote']);
    try {
      await followFeed(run, (session, onAttempt) => {
        session.redactor.add([secret]);
        const note: typeof session.note = (text, facts) => session.note(text, facts);
        const traced = { ...receiver, traceparent: readTraceparent(ports.env['TRACEPARENT']) };
        return { sink: forwardSink(ports, { receiver: traced, secret, note, onAttempt }) };
      });
    } finally {
      await receiver.close();
    }
  }
}
