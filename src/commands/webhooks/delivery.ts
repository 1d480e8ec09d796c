/** The delivery that a command is to judge: standard input, and the headers that flags or variables give. */
import { DELIVERY_HEADERS } from '../../contract/events.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import { valuesOf, withHeader, type Delivery, type HeaderPairs } from '../../webhook/delivery.js';
import { readMessage } from '../../webhook/http-message.js';
import type { Texts } from '../../cli/line/flags.js';
import type { GlobalFlags } from '../../cli/command.js';

/** What is read at all; what is verified is far less. A sender that is cut off early would not know why. */
const INPUT_MAX_BYTES = 16 * 1024 * 1024;

/** A header of the delivery that is not in the input: its flag comes first, then the request, then the variable. */
const GIVEN = {
  signature: 'SVC_WEBHOOK_SIGNATURE',
  timestamp: 'SVC_WEBHOOK_TIMESTAMP',
} as const;

export type DeliveryFlags = GlobalFlags & Texts<'signature' | 'timestamp'>;

/**
 * Reads the delivery.
 * @throws Failure `usage` where no signature or no timestamp is given with a body alone, or with nothing; `webhook_rejected` for an input that can't be
 * a delivery, such as a whole request without them
 */
export async function readDelivery(ports: Ports, flags: DeliveryFlags): Promise<Delivery> {
  const input = await readInput(ports, flags, INPUT_MAX_BYTES, tooLarge);
  const message = readMessage(input);
  if (message.kind === 'malformed') {
    throw new Failure('webhook_rejected', `The input is not a complete HTTP request: ${message.why}.`, {
      code: 'request_malformed',
    });
  }
  const { body } = message.delivery;
  let { headers } = message.delivery;
  for (const which of ['signature', 'timestamp'] as const) {
    headers = withGiven(headers, which, flags[which], ports.env[GIVEN[which]]);
  }
  const missing = (['signature', 'timestamp'] as const).filter(
    (which) => valuesOf(headers, DELIVERY_HEADERS[which]).length === 0,
  );
  if (missing.length > 0 && input.length === 0)
    throw new Failure('usage', 'Standard input is empty. Nothing was verified.');
  if (missing.length > 0) throw message.kind === 'request' ? unsigned(missing) : noHeader(missing);
  return { body, headers };
}

/**
 * All of standard input as bytes; the wait for it ends when the process is asked to stop.
 * @param refuse what is thrown for an input that is longer
 */
export async function readInput(
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

function withGiven(
  headers: HeaderPairs,
  which: keyof typeof GIVEN,
  flag: string | undefined,
  variable: string | undefined,
): HeaderPairs {
  const name = DELIVERY_HEADERS[which];
  if (flag !== undefined) return withHeader(headers, name, flag);
  const isThere = valuesOf(headers, name).length > 0;
  return isThere || variable === undefined ? headers : withHeader(headers, name, variable);
}

function noHeader(missing: readonly (keyof typeof GIVEN)[]): Failure {
  const names = missing.map((which) => DELIVERY_HEADERS[which]).join(' and no ');
  const ways = missing.map((which) => `--${which} or ${GIVEN[which]}`).join(', and ');
  return new Failure(
    'usage',
    `There is no ${names}. Pipe the complete request with its headers, or add ${ways}. Nothing was verified.`,
  );
}

/** A request that came without them is nobody's delivery: whoever logged it has logged everything. */
function unsigned(missing: readonly (keyof typeof GIVEN)[]): Failure {
  const names = missing.map((which) => DELIVERY_HEADERS[which]).join(' and no ');
  return new Failure(
    'webhook_rejected',
    `The request has no ${names}. It is not a delivery from the service.`,
    {
      code: `${missing[0] ?? 'signature'}_missing`,
    },
  );
}

function tooLarge(): Failure {
  return new Failure('webhook_rejected', 'The body is larger than any delivery.', { code: 'body_too_large' });
}
