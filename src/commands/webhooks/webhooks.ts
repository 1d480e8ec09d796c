/** The jobs of `svc webhooks sign` and `verify`, which send nothing. */
import { printerOfJson } from '../../cli/printing/printer.js';
import { findSecrets, otherSecrets, type SecretFlags } from '../../cli/webhook/secrets.js';
import {
  readEvent,
  DELIVERY_MAX_BYTES,
  readUnixSeconds,
  type Delivery,
  type Rejection,
  valuesOf,
} from '../../webhook/delivery.js';
import { isCarried, signDelivery } from '../../webhook/signing.js';
import { verify, type Rules } from '../../webhook/verification.js';
import { Failure, usageFailure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { Run, GlobalFlags } from '../../cli/command.js';
import { DELIVERY_HEADERS } from '../../contract/events.js';
import { readMessage } from '../../webhook/http-message.js';
import type { Texts } from '../../cli/line/flags.js';

type AtFlags = SecretFlags & { readonly at?: string | undefined };

/** Prints the headers of a delivery for the event on standard input. @throws Failure `usage` */
export async function sign({ ports, flags }: Run<AtFlags>): Promise<void> {
  const printer = await printerOfJson(ports, flags);
  const seconds = secondsAt(ports, flags.at);
  const secrets = await findSecrets(ports, flags, seconds * 1000);
  const body = await readInput(ports, flags, DELIVERY_MAX_BYTES);
  const read = readEvent(body);
  if ('problem' in read) throw refusedFailure(`it ${read.problem}`);
  if (!isCarried(read.event)) throw refusedFailure('no header can carry its id or its type');
  await printer.answer(Buffer.from(JSON.stringify(signDelivery(body, read.event, secrets, seconds))));
}

/** Verifies the delivery on standard input and prints its event. @throws Failure `usage`, `webhook_rejected` with the reason */
export async function verifyInput(
  run: Run<AtFlags & DeliveryFlags & { readonly tolerance: string; readonly explain: boolean }>,
): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfJson(ports, flags);
  const nowMs = secondsAt(ports, flags.at) * 1000;
  if (!/^[0-9]{1,9}$/.test(flags.tolerance))
    throw usageFailure('--tolerance must be a whole number of seconds.');
  const toleranceSeconds = Number(flags.tolerance);
  const secrets = await findSecrets(ports, flags, nowMs);
  const rules = { secrets, nowMs, toleranceSeconds };
  const delivery = await readDelivery(ports, flags);
  const verdict = verify(delivery, rules);
  if (!verdict.accepted) throw await rejectionOf(run, delivery, rules, verdict);
  await printer.answer(verdict.body);
}

function refusedFailure(why: string): Failure {
  return new Failure('usage', `The input is not an event that can be delivered: ${why}. Nothing was signed.`);
}

/** The time of `--at`, else now, in Unix seconds. @throws Failure `usage` */
function secondsAt(ports: Ports, at: string | undefined): number {
  if (at === undefined) return Math.floor(ports.clock.now() / 1000);
  const seconds = readUnixSeconds(at);
  if (seconds === null) throw usageFailure('--at must be a time in Unix seconds.');
  return seconds;
}

/** The error of a rejected delivery; its code is the reason. The code that explains it loads only with `--explain`. */
async function rejectionOf(
  { ports, flags }: Run<SecretFlags & { readonly explain: boolean }>,
  delivery: Delivery,
  rules: Rules,
  rejected: Rejection,
): Promise<Failure> {
  const { reason, message } = rejected;
  let why = '';
  if (flags.explain) {
    const { explain } = await import('../../webhook/explanation.js');
    const isMismatch = reason === 'signature_mismatch';
    const others = isMismatch ? await otherSecrets(ports, flags, rules.secrets) : [];
    const causes = explain(delivery, rules, rejected, others).map(({ text }) => text);
    if (causes.length > 0) why = ` Likely cause: ${causes.join('; and ')}.`;
    else if (isMismatch) why = ' The secret is wrong or the body was changed.';
  }
  return new Failure('webhook_rejected', message + why, { code: reason });
}

/** Much more than a delivery may have, so that a body that is too large gets its own error. */
const INPUT_MAX_BYTES = 16 * 1024 * 1024;

/** The variable of each header. A flag wins over the request's header, and the header wins over the variable. */
const HEADER_VARIABLES = { signature: 'SVC_WEBHOOK_SIGNATURE', timestamp: 'SVC_WEBHOOK_TIMESTAMP' } as const;

type DeliveryFlags = GlobalFlags & Texts<'signature' | 'timestamp'>;

/**
 * Reads a delivery from standard input: a body, or a whole HTTP request.
 * @throws Failure `usage` for empty input, or a body without signature or timestamp; `webhook_rejected` for input that can't be a delivery,
 *   such as a whole request without these headers
 */
async function readDelivery(ports: Ports, flags: DeliveryFlags): Promise<Delivery> {
  const input = await readInput(ports, flags, INPUT_MAX_BYTES, () => {
    const text = 'The body is larger than any delivery.';
    return new Failure('webhook_rejected', text, { code: 'body_too_large' });
  });
  const message = readMessage(input);
  if (message.kind === 'malformed') {
    throw new Failure('webhook_rejected', `The input is not a complete HTTP request: ${message.why}.`, {
      code: 'request_malformed',
    });
  }
  const { body } = message.delivery;
  let { headers } = message.delivery;
  for (const which of ['signature', 'timestamp'] as const) {
    const name = DELIVERY_HEADERS[which];
    const isThere = valuesOf(headers, name).length > 0;
    const value = flags[which] ?? (isThere ? undefined : ports.env[HEADER_VARIABLES[which]]);
    if (value === undefined) continue;
    const others = headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
    headers = [...others, [name, value]];
  }
  const missing = (['signature', 'timestamp'] as const).filter(
    (which) => valuesOf(headers, DELIVERY_HEADERS[which]).length === 0,
  );
  if (missing.length > 0 && input.length === 0)
    throw new Failure('usage', 'Standard input is empty. Nothing was verified.');
  const [first] = missing;
  if (first === undefined) return { body, headers };
  const names = missing.map((which) => DELIVERY_HEADERS[which]).join(' and no ');
  // A whole request without these headers is not a delivery. It may be any other request from the receiver's log.
  if (message.kind === 'request') {
    const text = `The request has no ${names}. It is not a delivery from the service.`;
    throw new Failure('webhook_rejected', text, { code: `${first}_missing` });
  }
  const ways = missing.map((which) => `--${which} or ${HEADER_VARIABLES[which]}`).join(', and ');
  throw new Failure(
    'usage',
    `There is no ${names}. Pipe the complete request with its headers, or add ${ways}. Nothing was verified.`,
  );
}

/** Reads all of standard input. The wait ends when the process is asked to stop. @param refuse makes the error for an input that is too long */
async function readInput(
  ports: Ports,
  { quiet }: GlobalFlags,
  maxBytes: number,
  refuse?: () => Failure,
): Promise<Buffer> {
  const { input, errors, signal } = ports;
  signal.throwIfAborted();
  if (input.isTTY && !quiet) await errors.write('Reading standard input. Ctrl-D ends it.\n');
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([input.readAll(maxBytes), stopped]);
  } catch (error) {
    throw error instanceof Failure && refuse !== undefined ? refuse() : error;
  }
}
