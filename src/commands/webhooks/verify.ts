/** `svc webhooks verify`: accepts a delivery read from standard input, or says why it must be discarded. */
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { printerOfJson } from '../../cli/printing/printer.js';
import { atFlag, secondsAt } from './clock.js';
import { deliveryFlags, readDelivery } from './delivery.js';
import { rejectionOf } from './rejection.js';
import { findSecrets, secretFlags, SECRET_PLACE } from './secrets.js';
import { Failure } from '../../runtime/failure.js';
import { verify } from '../../webhook/verification.js';

export default class WebhooksVerify extends SvcCommand {
  static override readonly summary = 'Verify a delivery from standard input, and print its event.';
  static override readonly description =
    'Standard input is the raw body, or a whole HTTP request as receivers log it. A flag wins over a header of the request. A header wins over a variable. Nothing is sent.';
  static override readonly examples = [
    'svc webhooks verify --signature "$X_FIRMA" --timestamp "$X_TIMESTAMP" < body.json',
    'svc webhooks verify --at 1790000000 --explain --jq .type < request.http',
  ];
  static override readonly ownExitCodes = [17];
  static override readonly heeds = SECRET_PLACE;
  static override readonly args = {};
  static override readonly flags = {
    ...deliveryFlags,
    ...secretFlags,
    at: atFlag('Time to verify at, in Unix seconds [default: now]'),
    tolerance: Flags.string({
      summary: 'Seconds that the timestamp may be off',
      helpValue: 'SECONDS',
      default: '300',
    }),
    explain: Flags.boolean({ summary: 'Name the likely cause of a rejection' }),
  };

  async run(): Promise<void> {
    const run = await this.line(WebhooksVerify);
    const { flags } = run;
    const printer = await printerOfJson(this.ports, flags);
    const nowMs = secondsAt(this.ports, flags.at) * 1000;
    const toleranceSeconds = secondsOf(flags.tolerance);
    const secrets = await findSecrets(this.ports, flags, nowMs);
    const rules = { secrets, nowMs, toleranceSeconds };
    const delivery = await readDelivery(this.ports, flags);
    const verdict = verify(delivery, rules);
    if (!verdict.accepted) throw await rejectionOf(run, delivery, rules, verdict);
    await printer.answer(verdict.body);
  }
}

function secondsOf(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  throw new Failure('usage', '--tolerance must be a whole number of seconds. Nothing was sent.');
}
