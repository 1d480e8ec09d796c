import { printerOfJson } from '../../command/printer.js';
import { findSecrets, otherSecrets, type SecretFlags } from './secrets.js';
import {
  readEvent,
  DELIVERY_MAX_BYTES,
  readUnixSeconds,
  type Delivery,
  type Rejection,
  valuesOf,
} from './delivery.js';
import { isHeaderSafe, signDelivery } from './signing.js';
import { verify, type Rules } from './verification.js';
import { Failure, usageFailure } from '../../runtime/failure.js';
import { type Ports, untilStopped } from '../../runtime/ports.js';
import type { Run, GlobalFlags } from '../../command/command.js';
import { DELIVERY_HEADERS } from '../../contract/events.js';
import { readMessage } from './http-message.js';
import type { Texts } from '../../command/line/flags.js';

type AtFlags = SecretFlags & { readonly at?: string | undefined };

export async function sign({ ports, flags }: Run<AtFlags>): Promise<void> {
  const printer = await printerOfJson(ports, flags);
  const unixSeconds = unixSecondsAt(ports, flags.at);
  const secrets = await findSecrets(ports, flags, unixSeconds * 1000);
  const body = await readInput(ports, flags, DELIVERY_MAX_BYTES);
  const result = readEvent(body);
  if ('problem' in result) throw refusedFailure(`it ${result.problem}`);
  if (!isHeaderSafe(result.event)) throw refusedFailure('no header can carry its id or its type');
  await printer.answer(Buffer.from(JSON.stringify(signDelivery(body, result.event, secrets, unixSeconds))));
}

export async function verifyInput(
  run: Run<AtFlags & DeliveryFlags & { readonly tolerance: string; readonly explain: boolean }>,
): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfJson(ports, flags);
  const nowMs = unixSecondsAt(ports, flags.at) * 1000;
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

function unixSecondsAt(ports: Ports, at: string | undefined): number {
  if (at === undefined) return Math.floor(ports.clock.now() / 1000);
  const unixSeconds = readUnixSeconds(at);
  if (unixSeconds === null) throw usageFailure('--at must be a time in Unix seconds.');
  return unixSeconds;
}

async function rejectionOf(
  { ports, flags }: Run<SecretFlags & { readonly explain: boolean }>,
  delivery: Delivery,
  rules: Rules,
  rejection: Rejection,
): Promise<Failure> {
  const { reason, message } = rejection;
  let causeText = '';
  if (flags.explain) {
    const { explain } = await import('./explanation.js');
    const isMismatch = reason === 'signature_mismatch';
    const unusedSecrets = isMismatch ? await otherSecrets(ports, flags, rules.secrets) : [];
    const causes = explain(delivery, rules, rejection, unusedSecrets).map(({ text }) => text);
    if (causes.length > 0) causeText = ` Likely cause: ${causes.join('; and ')}.`;
    else if (isMismatch) causeText = ' The secret is wrong or the body was changed.';
  }
  return new Failure('webhook_rejected', message + causeText, { code: reason });
}

const INPUT_MAX_BYTES = 16 * 1024 * 1024;

const HEADER_VARIABLES = { signature: 'SVC_WEBHOOK_SIGNATURE', timestamp: 'SVC_WEBHOOK_TIMESTAMP' } as const;

type DeliveryFlags = GlobalFlags & Texts<'signature' | 'timestamp'>;

async function readDelivery(ports: Ports, flags: DeliveryFlags): Promise<Delivery> {
  const input = await readInput(ports, flags, INPUT_MAX_BYTES, () => {
    const text = 'The body is larger than any delivery.';
    return new Failure('webhook_rejected', text, { code: 'body_too_large' });
  });
  const message = readMessage(input);
  if (message.kind === 'malformed') {
    const text = `The input is not a complete HTTP request: ${message.why}.`;
    throw new Failure('webhook_rejected', text, { code: 'request_malformed' });
  }
  const { body } = message.delivery;
  let { headers } = message.delivery;
  for (const headerKind of ['signature', 'timestamp'] as const) {
    const name = DELIVERY_HEADERS[headerKind];
    const hasHeader = valuesOf(headers, name).length > 0;
    const value = flags[headerKind] ?? (hasHeader ? undefined : ports.env[HEADER_VARIABLES[headerKind]]);
    if (value === undefined) continue;
    const otherHeaders = headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
    headers = [...otherHeaders, [name, value]];
  }
  const missingHeaders = (['signature', 'timestamp'] as const).filter(
    (headerKind) => valuesOf(headers, DELIVERY_HEADERS[headerKind]).length === 0,
  );
  if (missingHeaders.length > 0 && input.length === 0)
    throw new Failure('usage', 'Standard input is empty. Nothing was verified.');
  const [firstMissing] = missingHeaders;
  if (firstMissing === undefined) return { body, headers };
  const names = missingHeaders.map((headerKind) => DELIVERY_HEADERS[headerKind]).join(' and no ');
  if (message.kind === 'request') {
    const text = `The request has no ${names}. It is not a delivery from the service.`;
    throw new Failure('webhook_rejected', text, { code: `${firstMissing}_missing` });
  }
  const remedies = missingHeaders
    .map((headerKind) => `--${headerKind} or ${HEADER_VARIABLES[headerKind]}`)
    .join(', and ');
  throw new Failure(
    'usage',
    `There is no ${names}. Pipe the complete request with its headers, or add ${remedies}. Nothing was verified.`,
  );
}

async function readInput(
  ports: Ports,
  { quiet }: GlobalFlags,
  maxBytes: number,
  tooLongFailure?: () => Failure,
): Promise<Buffer> {
  const { input, errors, signal } = ports;
  signal.throwIfAborted();
  if (input.isTTY && !quiet) await errors.write('Reading standard input. Ctrl-D ends it.\n');
  try {
    return await untilStopped(input.readAll(maxBytes), signal);
  } catch (error) {
    throw error instanceof Failure && tooLongFailure !== undefined ? tooLongFailure() : error;
  }
}
