/** The jobs of `svc webhooks` that send nothing: a delivery is verified, an event signed. */
import { printerOfJson } from '../../cli/printing/printer.js';
import { readInput, readDelivery, type DeliveryFlags } from './delivery.js';
import { findSecrets, otherSecrets, type SecretFlags } from './secrets.js';
import {
  readEvent,
  DELIVERY_MAX_BYTES,
  readUnixSeconds,
  type Delivery,
  type Rejected,
} from '../../webhook/delivery.js';
import { isCarried, signDelivery } from '../../webhook/signing.js';
import { verify, type Rules } from '../../webhook/verification.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { Run } from '../../cli/command.js';

type AtFlags = SecretFlags & { readonly at?: string | undefined };
type VerifyFlags = AtFlags & DeliveryFlags & { readonly tolerance: string; readonly explain: boolean };

/** Prints the headers of a delivery for the event on standard input. @throws Failure `usage` */
export async function sign({ ports, flags }: Run<AtFlags>): Promise<void> {
  const printer = await printerOfJson(ports, flags);
  const seconds = secondsAt(ports, flags.at);
  const secrets = await findSecrets(ports, flags, seconds * 1000);
  const body = await readInput(ports, flags, DELIVERY_MAX_BYTES);
  const read = readEvent(body);
  if ('problem' in read) throw refused(`it ${read.problem}`);
  if (!isCarried(read.event)) throw refused('no header can carry its id or its type');
  await printer.answer(Buffer.from(JSON.stringify(signDelivery(body, read.event, secrets, seconds))));
}

/** Prints the event of a delivery read from standard input, or says why it must be discarded. @throws Failure `usage`, `webhook_rejected` */
export async function verifyInput(run: Run<VerifyFlags>): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfJson(ports, flags);
  const nowMs = secondsAt(ports, flags.at) * 1000;
  const toleranceSeconds = secondsOf(flags.tolerance);
  const secrets = await findSecrets(ports, flags, nowMs);
  const rules = { secrets, nowMs, toleranceSeconds };
  const delivery = await readDelivery(ports, flags);
  const verdict = verify(delivery, rules);
  if (!verdict.accepted) throw await rejectionOf(run, delivery, rules, verdict);
  await printer.answer(verdict.body);
}

function refused(why: string): Failure {
  return new Failure('usage', `The input is not an event that can be delivered: ${why}. Nothing was signed.`);
}

function secondsOf(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  throw new Failure('usage', '--tolerance must be a whole number of seconds. Nothing was sent.');
}

/** Unix seconds now, or at the given time. @throws Failure `usage` */
function secondsAt(ports: Ports, at: string | undefined): number {
  if (at === undefined) return Math.floor(ports.clock.now() / 1000);
  const seconds = readUnixSeconds(at);
  if (seconds === null) throw new Failure('usage', '--at must be a time in Unix seconds. Nothing was sent.');
  return seconds;
}

/** The failure; its code is the reason. The explanation loads only when it is wanted. */
async function rejectionOf(
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
