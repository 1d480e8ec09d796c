/** A payout that may not leave without approvals can leave as a batch of one row: the line that makes its file and its plan. */
import { createHash } from 'node:crypto';
import { momentText } from '../../contract/notation.js';
import { bodyLine, PlanDamaged } from '../../guard/plan/spelling.js';
import { Failure } from '../../runtime/failure.js';
import { commandLine, flagWords, quote, svcLine } from '../../runtime/shell.js';
import { whereFlags } from '../line/where.js';
import type { ToSend } from './sending.js';

/** The refusal with that line; without one where the row would be another payment than what was typed: then it says what to change. */
export function withRowInstead(refused: Failure, toSend: ToSend): Failure {
  const lacking = lackingIn(toSend);
  const when = 'To make a plan of this payout, as a batch of one row';
  const way =
    lacking === null
      ? { otherCommand: { when, line: lineOf(toSend) } }
      : { advice: [`To make it a batch of one row: ${lacking}.`] };
  return new Failure(refused.kind, refused.head, { ...refused.facts, ...way });
}

/** What was typed holds none of these, and a file may. */
const SECRET = /\b(?:svc_(?:live|test)|whsec)_[\w-]/i;

/** A batch knows a payment by its reference alone. */
function lackingIn({ prepared, options }: ToSend): string | null {
  if (options.keyOf === 'caller') return 'leave --idempotency-key out, a row has a key of its own';
  if (options.newPayment !== null) return 'give --new-since TIME in place of --new-payment';
  if (typeof prepared.members?.['reference'] !== 'string') return 'add --reference, each row has one';
  try {
    const row = bodyLine(bytesOf(prepared));
    return SECRET.test(row) ? 'take the secret out of the body, it would be printed' : null;
  } catch (error) {
    if (!(error instanceof PlanDamaged)) throw error;
    return `change the body, which ${error.why}`;
  }
}

function lineOf({ prepared, options, run }: ToSend): string {
  const row = bodyLine(bytesOf(prepared));
  // The same payout has the same name, so that the line replaces no other file.
  const name = `payout-${createHash('sha256').update(row).digest('hex').slice(0, 12)}`;
  const file = `${name}.ndjson`;
  const since = options.since === null ? [] : flagWords('--new-since', momentText(options.since.ms));
  const flags = ['--batch', name, '--plan', `${name}.plan`, ...since, ...whereFlags(run.flags)];
  return `${commandLine(['printf', '%s\\n', row])} > ${quote(file)} && ${svcLine('payouts batch', flags, [file])}`;
}

function bytesOf({ request }: ToSend['prepared']): Uint8Array {
  return request.body ?? Buffer.of();
}
