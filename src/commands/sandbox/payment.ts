/** `svc sandbox payment`: lets a payer's money arrive in the sandbox. */
import * as Flags from '@oclif/core/flags';
import { takes } from '../../cli/line/flags.js';
import { Failure } from '../../runtime/failure.js';
import type { RunOf } from '../../cli/command.js';
import { wholeSandboxId } from './short-id.js';
import { callControl, controlExitCodes, type ControlRequest } from './control-call.js';
import { ControlCommand } from './control-command.js';

export default class SandboxPayment extends ControlCommand {
  static override readonly summary = "Let a payer's money arrive.";
  static override readonly examples = [
    'svc sandbox payment --for $ID',
    'svc sandbox payment --method incoming_transfer --currency VES --amount 10.00 --bank-code 0102 ' +
      '--document-type V --document-number 12345678',
  ];
  static override readonly ownExitCodes = controlExitCodes;
  static override readonly args = {};
  static override readonly flags = {
    for: Flags.string({ summary: 'Exactly what this pay-in waits for', helpValue: 'ID' }),
    method: Flags.string({ summary: 'An incoming method', ...takes('method') }),
    currency: Flags.string({ summary: 'Currency', ...takes('currency') }),
    amount: Flags.string({ summary: 'Amount', helpValue: 'AMOUNT' }),
    'bank-code': Flags.string({ summary: 'Bank code of the sender', helpValue: 'CODE' }),
    phone: Flags.string({ summary: 'Phone of the payer', helpValue: 'PHONE' }),
    'document-type': Flags.string({ summary: "Type of the payer's document", helpValue: 'TYPE' }),
    'document-number': Flags.string({ summary: "Number of the payer's document", helpValue: 'NUMBER' }),
  };

  async run(): Promise<void> {
    const run = await this.line(SandboxPayment);
    const request = requestOf(run);
    const { for: text } = run.flags;
    const id = text === undefined ? text : await wholeSandboxId(run, 'operation', { name: '--for', text });
    await callControl(run, { ...request, body: { ...request.body, for: id } }, { told: unmatched });
  }
}

/** Where nobody gets it the answer is empty for a person. */
function unmatched(answer: Uint8Array): string | null {
  const { attributed_to: to } = JSON.parse(Buffer.from(answer).toString('utf8')) as {
    attributed_to: unknown;
  };
  return to === null
    ? 'No pay-in waits for this payment: amount, currency, method, bank and payer must all match.'
    : null;
}

/** @throws Failure `usage` */
function requestOf({ flags }: RunOf<typeof SandboxPayment>): ControlRequest {
  const { for: id, method, currency, amount, phone } = flags;
  const [type, number] = [flags['document-type'], flags['document-number']];
  const document = type === undefined && number === undefined ? undefined : { type, number };
  if (
    [id, method, currency, amount, phone, type, number, flags['bank-code']].every(
      (given) => given === undefined,
    )
  )
    throw new Failure(
      'usage',
      'Add --for ID, or the flags that describe the payment. See "svc sandbox payment --help".',
    );
  const body = { for: id, method, currency, amount, bank_code: flags['bank-code'], phone, document };
  return { method: 'POST', path: '/payments', body };
}
