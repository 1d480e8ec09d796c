/** The jobs of `svc requests`: what left and was not answered, shown, repeated with the same key and bytes, or forgotten. */
import { answerOf } from '../client/attempt.js';
import { conclude } from '../client/conclusion.js';
import { isRepeatable, isSameRequest, type KeptIntent } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';
import { isoSeconds } from '../runtime/clock.js';
import { Failure } from '../runtime/failure.js';
import type { GlobalFlags, House } from './base.js';
import { failureOf } from './conclusion-failure.js';
import { addressOf, maskOfKey, openRequests, settlesAll } from './keyed.js';
import { printerFor, printerOfAnything } from './printer.js';
import { openSession, type Session } from './session.js';

/** Every request whose outcome is not known; what is personal in the bodies is left out. */
export async function listRequests({ ports }: House, flags: GlobalFlags): Promise<void> {
  const printer = await printerOfAnything(ports, flags, 'requests');
  const requests = await withJournal({ ports }, (journal) => journal.list());
  const rows = requests.map((intent) => ({ ...summaryOf(intent, ports.clock.now()), ...amountOf(intent) }));
  await printer.answer(Buffer.from(JSON.stringify({ requests: rows })));
}

/** One of them with its body, byte for byte. @throws Failure `not_found` */
export async function showRequest({ ports }: House, key: string, flags: GlobalFlags): Promise<void> {
  const printer = await printerOfAnything(ports, flags);
  const intent = await withJournal({ ports }, (journal) => one(journal, key));
  const head = JSON.stringify(summaryOf(intent, ports.clock.now()));
  const body = Buffer.from(intent.body).toString('utf8');
  await printer.answer(Buffer.from(`${head.slice(0, -1)},"body":${body === '' ? 'null' : body}}`));
}

/** Forgets one, or all: nothing is sent, and what may have been carried out stays so. @throws Failure `not_found` */
export async function forgetRequests(
  { ports }: House,
  key: string | undefined,
  flags: GlobalFlags,
): Promise<void> {
  const printer = await printerOfAnything(ports, flags);
  const forgotten = await withJournal({ ports }, (journal) => journal.forget(key));
  if (forgotten === 0 && key !== undefined) throw notThere();
  await printer.answer(Buffer.from(JSON.stringify({ forgotten })));
}

/**
 * Sends the same bytes with the same key to the same address again, once more with its three attempts.
 * @throws Failure `not_found`, `unsafe` (too old, another address or environment), or by the table of exit codes
 */
export async function repeatRequest(house: House, key: string, flags: GlobalFlags): Promise<void> {
  const { ports } = house;
  await withJournal(house, async (journal) => {
    const intent = one(journal, key);
    requireRepeatable(intent, ports.clock.now());
    const printer = await printerFor(ports, flags, intent.endpoint);
    const session = await openSession(ports, flags);
    try {
      requireSamePlace(intent, session);
      if (intent.keyMask !== maskOfKey(session.key)) {
        await session.note(`The API key is another one than when this was sent (${intent.keyMask}).`);
      }
      await ports.errors.write(`Idempotency-Key: ${key}\n`);
      const prepared = session.client.prepareRaw('POST', intent.path, { body: intent.body }, key);
      const conversation = await session.client.send(prepared, { signal: ports.signal });
      const conclusion = conclude(conversation);
      if (settlesAll(conclusion)) journal.settleAll(intent);
      const answer = conclusion.operation === null ? null : answerOf(conversation.attempts.at(-1));
      if (answer !== null) await printer.answer(answer.body);
      ports.signal.throwIfAborted();
      // Whatever became of this attempt, the one before it is still open: only such an answer closes it.
      const open = settlesAll(conclusion) ? conclusion : { ...conclusion, outcome: 'unknown' as const };
      if (conclusion.exitCode !== 0) throw failureOf(open, conversation, house, flags);
    } finally {
      await session.close();
    }
  });
}

async function withJournal<T>(
  { ports }: Pick<House, 'ports'>,
  work: (journal: Journal) => T | Promise<T>,
): Promise<T> {
  const journal = await openRequests(ports);
  try {
    return await work(journal);
  } finally {
    journal.close();
  }
}

function one(journal: Journal, key: string): KeptIntent {
  const [first, ...others] = journal.list(key);
  if (first === undefined) throw notThere();
  if (others.every((other) => isSameRequest(first, other))) return first;
  throw new Failure(
    'unsafe',
    'Two different requests with this key are open, and only one of them can have been carried out. Look for its ' +
      'reference in "svc events list --all", then remove both with "svc requests forget KEY". Nothing was sent.',
  );
}

function requireRepeatable(intent: KeptIntent, nowMs: number): void {
  if (isRepeatable(intent, nowMs)) return;
  throw new Failure(
    'unsafe',
    `This request left at ${isoSeconds(intent.createdAtMs)}, and after 23 hours it is not certain that the service still ` +
      'knows its key: it could pay twice. Nothing was sent. Look for its reference in "svc events list --all"; then a person decides.',
    { code: 'too_old', outcome: 'unknown', idempotencyKey: intent.idempotencyKey },
  );
}

function requireSamePlace(intent: KeptIntent, session: Session): void {
  const here = addressOf(session);
  if (intent.address === here && intent.environment === session.environment) return;
  throw new Failure(
    'unsafe',
    `This request went to ${intent.address} (${intent.environment}), and this command goes to ${here} ` +
      `(${session.environment}). Nothing was sent. Repeat it with the profile, address and environment it had.`,
    { code: 'other_place', outcome: 'unknown', idempotencyKey: intent.idempotencyKey },
  );
}

function summaryOf(intent: KeptIntent, nowMs: number) {
  return {
    idempotency_key: intent.idempotencyKey,
    endpoint: intent.endpoint,
    environment: intent.environment,
    address: intent.address,
    api_key: intent.keyMask,
    created_at: isoSeconds(intent.createdAtMs),
    repeatable: isRepeatable(intent, nowMs),
  };
}

/** What tells a person which payment it is, and nothing about whose it is. */
function amountOf(intent: KeptIntent) {
  try {
    const body = JSON.parse(Buffer.from(intent.body).toString('utf8')) as Record<string, unknown>;
    const { method = null, amount = null, currency = null, reference = null } = body;
    return { method, amount, currency, reference };
  } catch {
    return {};
  }
}

function notThere(): Failure {
  return new Failure(
    'not_found',
    'No request with this key is open: its outcome is known, or it was never sent from here.',
  );
}
