/** A payout that may not leave without approvals can leave as a batch of one row: the line that makes its file and its plan. */
import { createHash } from 'node:crypto';
import { momentText } from '../../contract/notation.js';
import { bodyLine, PlanDamaged } from '../../guard/plan/spelling.js';
import { holdsSecret } from '../../output/redact.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { commandLine, flagWords, quote, svcLine } from '../../runtime/shell.js';
import { whereFlags } from '../line/where.js';
import type { PreparedCreate } from './sending.js';

/** The refusal with that line; without one where the row would be another payment than what was typed: then it says what to change. */
export function withRowInstead(refused: Failure, preparedCreate: PreparedCreate): Failure {
  return new Failure(refused.kind, refused.head, { ...refused.facts, ...wayOf(preparedCreate) });
}

/** A batch knows a payment by its reference alone. */
function wayOf({ prepared, options, run }: PreparedCreate): Pick<FailureFacts, 'otherCommand' | 'advice'> {
  const change = (what: string) => ({ advice: [`To make it a batch of one row: ${what}.`] });
  if (options.keyOf === 'caller') return change('leave --idempotency-key out, a row has a key of its own');
  if (options.newPayment !== null) return change('give --new-since TIME in place of --new-payment');
  if (typeof prepared.members?.['reference'] !== 'string') return change('add --reference, each row has one');
  let row: string;
  try {
    row = bodyLine(prepared.request.body ?? Buffer.of());
  } catch (error) {
    if (!(error instanceof PlanDamaged)) throw error;
    return change(`change the body, which ${error.why}`);
  }
  if (holdsSecret(row)) return change('take the secret out of the body, it would be printed');
  // The same payout has the same name, so that the line replaces no other file.
  const name = `payout-${createHash('sha256').update(row).digest('hex').slice(0, 12)}`;
  const file = `${name}.ndjson`;
  const since = options.since === null ? [] : flagWords('--new-since', momentText(options.since.ms));
  const flags = ['--batch', name, '--plan', `${name}.plan`, ...since, ...whereFlags(run.flags)];
  const made = `${commandLine(['printf', '%s\\n', row])} > ${quote(file)}`;
  const when = 'To make a plan of this payout, as a batch of one row';
  return { otherCommand: { when, line: `${made} && ${svcLine('payouts batch', flags, [file])}` } };
}
