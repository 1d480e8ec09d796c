/** `svc webhooks sign`: the headers of a delivery for the event on standard input. */
import { SvcCommand } from '../../cli/command.js';
import { printerOfJson } from '../../cli/printing/printer.js';
import { atFlag, secondsAt } from './clock.js';
import { readInput } from './delivery.js';
import { findSecrets, secretFlags, SECRET_PLACE } from './secrets.js';
import { Failure } from '../../runtime/failure.js';
import { readEvent } from '../../webhook/event.js';
import { isCarried, signDelivery } from '../../webhook/signing.js';
import { DELIVERY_MAX_BYTES } from '../../webhook/delivery.js';

export default class WebhooksSign extends SvcCommand {
  static override readonly summary = 'Sign an event from standard input, and print the headers as JSON.';
  static override readonly examples = [
    'svc webhooks sign < event.json',
    `svc webhooks sign --at 1790000000 --secret-file secret.txt --jq '."X-Firma"' < event.json`,
  ];
  static override readonly heeds = SECRET_PLACE;
  static override readonly args = {};
  static override readonly flags = {
    ...secretFlags,
    at: atFlag('Time of signing, in Unix seconds [default: now]'),
  };

  async run(): Promise<void> {
    const run = await this.line(WebhooksSign);
    const { flags } = run;
    const printer = await printerOfJson(this.ports, flags);
    const seconds = secondsAt(this.ports, flags.at);
    const secrets = await findSecrets(this.ports, flags, seconds * 1000);
    const body = await readInput(this.ports, flags, DELIVERY_MAX_BYTES);
    const read = readEvent(body);
    if ('problem' in read) throw refused(`it ${read.problem}`);
    if (!isCarried(read.event)) throw refused('no header can carry its id or its type');
    await printer.answer(Buffer.from(JSON.stringify(signDelivery(body, read.event, secrets, seconds))));
  }
}

function refused(why: string): Failure {
  return new Failure('usage', `The input is not an event that can be delivered: ${why}. Nothing was signed.`);
}
