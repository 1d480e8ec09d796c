import type { Texts } from '../../command/line/flags.js';
import { whereFlags } from '../../session/place-flags.js';
import type { FoundOperation, OperationQuestion } from './found-operation.js';
import { type KnownOperations, openKnownOperations } from './known-operations.js';
import { type GlobalFlags, type Run, type SessionRun, inSession } from '../../command/command.js';
import { readMoment } from '../../runtime/typed-time.js';
import { type Printer, printerOfAnything } from '../../command/printer.js';
import type { Session } from '../../session/session.js';
import { momentText } from '../../contract/notation.js';
import { DIRECTIONS } from '../../contract/operation.js';
import { UTC } from '../../runtime/clock.js';
import { Failure, usageFailure } from '../../runtime/failure.js';
import { svcLine } from '../../runtime/shell.js';
import type { Ports } from '../../runtime/ports.js';

type OfflineFlags = GlobalFlags & { readonly offline: boolean };
type ListFlags = OfflineFlags &
  Texts<'status' | 'direction' | 'method' | 'since' | 'until' | 'reference' | 'limit'>;

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 10_000;
const FOUND_MAX = 100;

const COLUMNS = [
  ...['id', 'type', 'status', 'code', 'failure_reason', 'amount', 'currency', 'method', 'reference'],
  ...['bank_reference', 'created_at', 'confirmed_at', 'occurred_at', 'source', 'batch', 'line'],
  ...['idempotency_key', 'environment'],
] as const;

export async function listOperations(run: Run<ListFlags>): Promise<void> {
  const { flags } = run;
  const { limit: limitText = String(LIMIT_DEFAULT) } = flags;
  const limit = /^[0-9]{1,5}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > LIMIT_MAX)
    throw usageFailure(`--limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  // A wrong time is refused before the service is asked.
  momentsOf(flags, run.ports, { now: () => 0 });
  await withOperations(run, async (knownOperations, printer, { session, ports }) => {
    const { status, method, reference } = flags;
    const direction = DIRECTIONS.find((one) => one === flags.direction);
    const question = { status, method, reference, direction, ...momentsOf(flags, ports, session.clock) };
    const operations = await knownOperations.list(question, limit);
    await printOperations(operations, printer, session);
    if (operations.length === 0 && status === 'pending') await session.note(UNKNOWN_NOTE);
  });
}

export async function findOperations(run: Run<OfflineFlags>, text: string): Promise<void> {
  if (text.trim() === '')
    throw new Failure('usage', 'Give a text to find. Nothing was sent.', { code: 'usage' });
  await withOperations(run, async (knownOperations, printer, { session }) => {
    const operations = await knownOperations.find(text, FOUND_MAX + 1);
    if (operations.length === 0) {
      const isOffline = run.flags.offline;
      const scopeText = isOffline ? ' here (without --offline svc asks the service too)' : '';
      const words = [...(isOffline ? ['--offline'] : []), ...whereFlags(run.flags)];
      throw new Failure(
        'not_found',
        `No known operation${scopeText} has the reference, bank reference or id "${text}". ${UNKNOWN_NOTE}`,
        {
          ...{ code: 'not_found', outcome: isOffline ? 'not_sent' : 'sent' },
          nextCommand: svcLine('operations list', words),
        },
      );
    }
    await printOperations(operations.slice(0, FOUND_MAX), printer, session);
    if (operations.length > FOUND_MAX)
      await session.note(
        `These are the latest ${String(FOUND_MAX)}; there are more. Type more of the id to find fewer.`,
      );
  });
}

async function withOperations<F extends OfflineFlags>(
  run: Run<F>,
  work: (knownOperations: KnownOperations, printer: Printer, sessionRun: SessionRun<F>) => Promise<void>,
): Promise<void> {
  const printer = await printerOfAnything(run.ports, run.flags, 'operations', {
    columns: COLUMNS,
    render: async () => (await import('../view.js')).renderPaymentList,
  });
  const sessionRun = await inSession(run);
  await using knownOperations = await openKnownOperations(sessionRun, run.flags.offline, 'news');
  await work(knownOperations, printer, sessionRun);
  const { unreadCount } = knownOperations;
  if (unreadCount > 0)
    await sessionRun.session.note(
      `svc did not read ${unreadCount.toLocaleString('en-US')} more pending operations from the service. They are shown as they were last seen.`,
    );
}

function printOperations(
  foundOperations: readonly FoundOperation[],
  printer: Printer,
  { environment }: Pick<Session, 'environment'>,
): Promise<void> {
  const textOf = (ms: number | null): string | null => (ms === null ? null : momentText(ms));
  const operations = foundOperations.map(
    (one): Readonly<Record<(typeof COLUMNS)[number], string | number | null>> => {
      const { id, direction: type, status, code, failureReason, amount, currency, method, reference } = one;
      const { bankReference, createdAtMs, confirmedAtMs, occurredAtMs, source, batch, line } = one;
      return {
        ...{ id, type, status, code, failure_reason: failureReason, amount, currency, method, reference },
        bank_reference: bankReference,
        created_at: textOf(createdAtMs),
        confirmed_at: textOf(confirmedAtMs),
        occurred_at: textOf(occurredAtMs),
        source,
        batch,
        line,
        ...{ idempotency_key: one.idempotencyKey, environment },
      };
    },
  );
  return printer.answer(Buffer.from(JSON.stringify({ operations })));
}

function momentsOf(
  { since, until, utc }: ListFlags,
  { zone }: Pick<Ports, 'zone'>,
  clock: Pick<Session['clock'], 'now'>,
): Pick<OperationQuestion, 'sinceMs' | 'untilMs'> {
  const reading = { zone: utc ? UTC : zone, nowMs: clock.now() };
  const sinceMs = since === undefined ? undefined : readMoment(since, '--since', 'first', reading);
  const untilMs = until === undefined ? undefined : readMoment(until, '--until', 'last', reading);
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs > untilMs)
    throw usageFailure('--since must be before --until.');
  return { sinceMs, untilMs };
}

const UNKNOWN_NOTE = 'A pending operation that another program made is not known here: it has no event yet.';
