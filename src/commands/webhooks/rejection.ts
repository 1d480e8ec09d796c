/** A rejected delivery as the failure a command ends with, explained where that was asked for. */
import { Failure } from '../../runtime/failure.js';
import type { Run } from '../../cli/command.js';
import type { Delivery, Rejected } from '../../webhook/delivery.js';
import type { Rules } from '../../webhook/verification.js';
import { otherSecrets, type SecretFlags } from './secrets.js';

/** The failure; its code is the reason. The explanation loads only when it is wanted. */
export async function rejectionOf(
  run: Run<SecretFlags & { readonly explain: boolean }>,
  delivery: Delivery,
  rules: Rules,
  rejected: Rejected,
): Promise<Failure> {
  const why = run.flags.explain ? await explanationOf(run, delivery, rules, rejected) : '';
  return new Failure('webhook_rejected', rejected.message + why, { code: rejected.reason });
}

async function explanationOf(
  { ports, flags }: Run<SecretFlags>,
  delivery: Delivery,
  rules: Rules,
  rejected: Rejected,
): Promise<string> {
  const { explain } = await import('../../webhook/explanation.js');
  const isMismatch = rejected.reason === 'signature_mismatch';
  const others = isMismatch ? await otherSecrets(ports, flags, rules.secrets) : [];
  const causes = explain(delivery, rules, rejected, others);
  if (causes.length > 0) return ` Likely cause: ${causes.map(({ text }) => text).join('; and ')}.`;
  return isMismatch ? ' The secret is wrong or the body was changed.' : '';
}
