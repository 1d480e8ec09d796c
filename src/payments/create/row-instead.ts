import { createHash } from 'node:crypto';
import { momentText } from '../../contract/notation.js';
import { lineOfBody } from '../../contract/body-line.js';
import { hasSecret } from '../../output/redact.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { commandLine, flagWords, quote, svcLine } from '../../runtime/shell.js';
import { whereFlags } from '../../session/place-flags.js';
import type { PreparedCreate } from './prepared-create.js';

export function addBatchAdvice(refusal: Failure, preparedCreate: PreparedCreate): Failure {
  return new Failure(refusal.kind, refusal.head, { ...refusal.facts, ...batchAdvice(preparedCreate) });
}

function batchAdvice({
  prepared,
  options,
  run,
}: PreparedCreate): Pick<FailureFacts, 'otherCommand' | 'advice'> {
  const advise = (change: string) => ({ advice: [`To make it a batch of one row: ${change}.`] });
  if (options.keySource === 'caller')
    return advise('leave --idempotency-key out, a row has a key of its own');
  if (options.newPayment !== null) return advise('give --new-since TIME in place of --new-payment');
  if (typeof prepared.members?.['reference'] !== 'string') return advise('add --reference, each row has one');
  const bodyLine = lineOfBody(prepared.request.body ?? Buffer.of());
  if ('why' in bodyLine) return advise(`change the body, which ${bodyLine.why}`);
  const row = bodyLine.line;
  if (hasSecret(row)) return advise('take the secret out of the body, it would be printed');
  const name = `payout-${createHash('sha256').update(row).digest('hex').slice(0, 12)}`;
  const file = `${name}.ndjson`;
  const sinceFlags = options.since === null ? [] : flagWords('--new-since', momentText(options.since.ms));
  const flags = ['--batch', name, '--plan', `${name}.plan`, ...sinceFlags, ...whereFlags(run.flags)];
  const fileCommand = `${commandLine(['printf', '%s\\n', row])} > ${quote(file)}`;
  const when = 'To make a plan of this payout, as a batch of one row';
  return { otherCommand: { when, line: `${fileCommand} && ${svcLine('payouts batch', flags, [file])}` } };
}
