/** Confirms what a batch is about to send: live by its exact totals, which a person types and a script passes. */
import type { Batch, BatchStore } from '../../bulk/store/batch-store.js';
import { compareDecimals, fromMinor, isDecimal, sumDecimals } from '../../contract/money.js';
import { readList } from '../../contract/list-bytes.js';
import { escapeText } from '../../output/escape.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { SendingFlags } from './flags.js';
import { isPersonThere } from '../line/interaction.js';
import { readAnswer } from '../line/question.js';
import type { Session } from '../session/session.js';

/** What is about to be sent: exact totals by currency, decimal strings. */
export type Totals = ReadonlyMap<string, { readonly rows: number; readonly total: string }>;

export interface Confirming {
  readonly ports: Ports;
  readonly flags: SendingFlags;
  readonly session: Session;
  readonly store: BatchStore;
  /** What the command line has confirmed already. */
  readonly confirmed: ReadonlyMap<string, string>;
}

const LARGEST = 5;

/** The totals of a whole batch. */
export function totalsOf({ currencies }: Batch): Totals {
  return new Map(
    [...currencies].map(([currency, { rows, minor, decimals }]) => [
      currency,
      { rows, total: fromMinor(minor, decimals) },
    ]),
  );
}

/**
 * Returns where the batch may be sent. The sandbox asks for nothing, but holds what is confirmed to what is there.
 * @throws Failure `unsafe` where it was not confirmed, or something else was; Stopped
 */
export async function confirmBatch(batch: Batch, totals: Totals, confirming: Confirming): Promise<void> {
  const { ports, flags, session, confirmed } = confirming;
  refuseOthers(totals, confirmed);
  const open = [...totals].filter(([currency]) => !confirmed.has(currency));
  if (session.environment !== 'live') return;
  if (!flags.quiet || open.length > 0) await ports.errors.write(await summary(batch, totals, confirming));
  if (open.length === 0) return;
  if (!isPersonThere(ports, { 'no-input': flags['no-input'] })) throw notConfirmed(totals);
  for (const [currency, { total }] of open) {
    await ports.errors.write(`Type the total in ${currency} to send it: `);
    const answer = await readAnswer(ports, 'Nothing was sent.');
    const typed = answer?.trim().replace(/^[A-Z]{3}[: ]/i, '') ?? '';
    if (!isDecimal(typed) || compareDecimals(typed, total) !== 0) throw notConfirmed(totals);
  }
}

function refuseOthers(totals: Totals, confirmed: ReadonlyMap<string, string>): void {
  for (const [currency, amount] of confirmed) {
    const total = totals.get(currency)?.total;
    if (total !== undefined && compareDecimals(total, amount) === 0) continue;
    const is = total === undefined ? `there is nothing in ${currency}` : `the total is ${currency} ${total}`;
    throw new Failure('unsafe', `${currency}:${amount} was confirmed, and ${is}. Nothing was sent.`, {
      code: 'total_differs',
    });
  }
}

async function summary(batch: Batch, totals: Totals, { session, store }: Confirming): Promise<string> {
  const largest = await store.largest(batch.id, LARGEST);
  const balances = batch.direction === 'payout' ? await balancesOf(session) : new Map<string, string>();
  const lines = [
    'LIVE: real money.',
    `  batch        ${batch.name}`,
    `  environment  ${batch.environment}`,
    `  host         ${batch.address}`,
    `  profile      ${batch.profile ?? 'none'}`,
    `  file         ${batch.file}`,
    `  sha256       ${batch.fileHash}`,
    `  rows         ${[...totals.values()].reduce((sum, { rows }) => sum + rows, 0)}`,
    ...[...totals].map(([currency, { rows, total }]) => `  total        ${currency} ${total} (${rows} rows)`),
    ...largest.map(
      ({ currency, amount, reference, line }) =>
        `  largest      ${currency} ${amount}  ${reference} (line ${line})`,
    ),
    ...[...totals].flatMap(([currency, { total }]) =>
      balanceLine(currency, total, balances, batch.direction),
    ),
  ];
  return `${lines.map(escapeText).join('\n')}\n`;
}

function balanceLine(
  currency: string,
  total: string,
  balances: ReadonlyMap<string, string>,
  direction: Batch['direction'],
): string[] {
  if (direction !== 'payout') return [];
  const available = balances.get(currency);
  if (available === undefined) return [`  balance      ${currency}: not known`];
  const after = sumDecimals([available, `-${total}`]);
  const note = after.startsWith('-') ? ' (negative: the service sends all the same)' : '';
  return [`  balance      ${currency} ${available}, after it ${after}${note}`];
}

/** By currency; empty where they can't be read: a key may lack the scope, and the service does not brake by them. */
async function balancesOf({ client }: Session): Promise<Map<string, string>> {
  const { attempts } = await client.call('balances', {}, { attemptsMax: 1 });
  const [attempt] = attempts;
  if (attempt?.kind !== 'success') return new Map();
  const { body } = attempt.answer;
  const entries = (readList(body, 'balances')?.elements ?? []).map(({ start, end }) => {
    const text = Buffer.from(body).toString('utf8', start, end);
    return JSON.parse(text) as { currency?: string; available?: string };
  });
  return new Map(
    entries.flatMap(({ currency, available }) =>
      currency !== undefined && available !== undefined && isDecimal(available)
        ? [[currency, available]]
        : [],
    ),
  );
}

function notConfirmed(totals: Totals): Failure {
  const flags = [...totals].map(([currency, { total }]) => `--confirm-total ${currency}:${total}`).join(' ');
  return new Failure(
    'unsafe',
    `It was not confirmed. Nothing was sent. A script confirms the exact totals: ${flags}`,
    {
      code: 'not_confirmed',
    },
  );
}
