import { counted } from '../contract/on-screen.js';
import type { Batch, BatchStore, PendingMoney } from '../storage/batches/batch-store.js';
import type { RowState } from '../storage/batches/row-state.js';
import { compareDecimals, isDecimal, fromMinor, sumDecimals } from '../contract/money.js';
import { Failure, type FailureFacts } from '../runtime/failure.js';
import { commandLine } from '../runtime/shell.js';
import type { SendingFlags } from './flags.js';
import { isPersonThere, readTypedAnswer, styleForErrors } from '../command/line/terminal.js';
import { withFlags, withoutFlags } from '../command/line/typed-words.js';
import type { Session } from '../session/session.js';
import { momentText } from '../contract/notation.js';
import { readList } from '../contract/json.js';
import { type DetailPair, renderSections, type Section } from '../output/detail.js';
import { liveTitle } from '../output/style.js';
import { renderTime } from '../output/time.js';
import type { Ports } from '../runtime/ports.js';
import { placeSection } from '../payments/live-question.js';
import type { SessionRun } from '../command/command.js';

export type Totals = ReadonlyMap<string, { readonly rows: number; readonly total: string }>;

export interface ConfirmationFacts extends SessionRun<SendingFlags> {
  readonly store: BatchStore;
  readonly confirmedTotals: ReadonlyMap<string, string>;
  readonly states: readonly RowState[];
  readonly acceptedTotals: readonly Totals[];
  readonly letters: string | null;
  readonly pendingHere: readonly PendingMoney[] | null;
}

export async function confirmBatch(batch: Batch, totals: Totals, facts: ConfirmationFacts): Promise<void> {
  const { ports, flags, session, confirmedTotals, acceptedTotals, pendingHere, typed } = facts;
  refuseOtherTotals([totals, ...acceptedTotals], facts);
  const unconfirmed = [...totals].filter(([currency]) => !confirmedTotals.has(currency));
  if (session.environment !== 'live' || totals.size === 0) return;
  if (!flags.quiet || unconfirmed.length > 0)
    await ports.errors.write(await liveSummary(batch, totals, facts));
  const isPerson = isPersonThere(ports, { 'no-input': flags['no-input'] });
  if (pendingHere !== null && !flags['first-here'] && (unconfirmed.length === 0 || !isPerson)) {
    const { isShared } = (await facts.app.stores()).where;
    const line = commandLine(['svc', ...withFlags(typed, ['--first-here'])]);
    const whoPaid = isShared ? 'The state that machines share here' : 'This machine';
    const text =
      `${whoPaid} has paid no batch for this company yet, so svc cannot see what is pending elsewhere. Nothing was sent. ` +
      'If none of this was sent from elsewhere in the last 4 days, add --first-here.';
    throw new Failure('unsafe', text, {
      code: 'first_here',
      outcome: 'not_sent',
      otherCommand: { when: 'If none of it was', line },
    });
  }
  if (unconfirmed.length === 0) return;
  if (!isPerson) throw unconfirmedFailure(totals, typed);
  for (const [currency, { total }] of unconfirmed) {
    const style = await styleForErrors(ports, flags);
    await ports.errors.write(`${style.strong(`Type the total in ${currency} to send it:`)} `);
    const answer = await readTypedAnswer(ports, 'Nothing was sent.');
    const typedTotal = answer?.trim().replace(/^[A-Z]{3}[: ]/i, '') ?? '';
    if (!isDecimal(typedTotal) || compareDecimals(typedTotal, total) !== 0)
      throw unconfirmedFailure(
        pendingHere === null || flags['first-here'] ? totals : new Map(),
        typed,
        typedTotal === '' ? '' : `"${typedTotal}" is not the total ${currency} ${total}. `,
      );
  }
}

export function refuseOtherTotals(
  acceptedTotals: readonly Totals[],
  { confirmedTotals, typed }: Pick<ConfirmationFacts, 'confirmedTotals' | 'typed'>,
): void {
  for (const [currency, amount] of confirmedTotals) {
    const acceptedAmounts = acceptedTotals.flatMap((totals) => totals.get(currency)?.total ?? []);
    if (acceptedAmounts.some((total) => compareDecimals(total, amount) === 0)) continue;
    const [first] = acceptedAmounts;
    const mismatch =
      first === undefined ? `The batch has nothing in ${currency}` : `The total is ${currency} ${first}`;
    const text = `${mismatch}, but --confirm-total says ${currency}:${amount}. Nothing was sent.`;
    const command = correctedCommand(acceptedTotals[0] ?? new Map(), typed);
    throw new Failure('unsafe', text, { code: 'total_differs', ...command });
  }
}

function unconfirmedFailure(totals: Totals, typed: readonly string[], why: string | null = null): Failure {
  const flagsText = totalFlags(totals).join(' ');
  const text =
    why === null
      ? `Not confirmed. Nothing was sent. In a script, confirm the exact totals: ${flagsText}`
      : `Not confirmed. ${why}Nothing was sent.`;
  return new Failure('unsafe', text, { code: 'not_confirmed', ...correctedCommand(totals, typed) });
}

export function correctedCommand(
  totals: Totals,
  typed: readonly string[],
): Pick<FailureFacts, 'otherCommand'> {
  const words = withFlags(withoutFlags(typed, ['--confirm-total']), totalFlags(totals));
  return { otherCommand: { when: 'If these totals are right', line: commandLine(['svc', ...words]) } };
}

function totalFlags(totals: Totals): string[] {
  return [...totals].flatMap(([currency, { total }]) => ['--confirm-total', `${currency}:${total}`]);
}

const LARGEST_ROWS = 5;

async function liveSummary(batch: Batch, totals: Totals, facts: ConfirmationFacts): Promise<string> {
  const { session, store, states, letters } = facts;
  const largest = await store.largest(batch.id, LARGEST_ROWS, states);
  const amountWidth = Math.max(0, ...largest.map(({ amount }) => amount.length));
  const isPayout = batch.direction === 'payout';
  const balances = isPayout ? await balancesOf(session) : new Map<string, AvailableBalance>();
  const sections: Section[] = [
    placeSection({ ...batch, company: letters ?? 'not known (no operation yet)' }),
    { title: 'What is sent', pairs: batchPairs(batch, totals, facts.ports) },
    {
      title: 'Largest rows',
      pairs: largest.map(({ currency, amount, reference, line }) => ({
        label: `Line ${line}`,
        value: `${currency} ${amount.padStart(amountWidth)}  ${reference}`,
        whole: true,
      })),
    },
    {
      title: 'The account',
      pairs: [
        ...(isPayout ? [...totals].map(([code, { total }]) => balancePair(code, total, balances)) : []),
        ...pendingPairs(totals, balances, facts, (await facts.app.stores()).where.isShared),
      ],
    },
  ];
  const style = await styleForErrors(facts.ports, facts.flags);
  const width = facts.ports.errors.isTTY ? facts.ports.errors.columns : Infinity;
  return `${liveTitle(style)}\n\n${renderSections(sections, width, style)}\n`;
}

function batchPairs(batch: Batch, totals: Totals, { zone }: Pick<Ports, 'zone'>): DetailPair[] {
  const since = batch.sinceMs === null ? null : momentText(batch.sinceMs);
  return [
    { label: 'Batch', value: batch.name, whole: true },
    { label: 'File', value: batch.file, whole: true },
    { label: 'SHA-256', value: batch.fileHash },
    { label: 'Rows', value: String([...totals.values()].reduce((sum, { rows }) => sum + rows, 0)) },
    ...[...totals].map(([currency, { rows, total }]): DetailPair => ({
      label: 'Total',
      value: `${currency} ${total} (${counted(rows, 'row')})`,
      whole: true,
      tone: 'strong',
    })),
    ...(since === null
      ? []
      : [{ label: 'New since', value: `${since}, here ${renderTime(since, zone)}`, whole: true }]),
  ];
}

function balancePair(
  currency: string,
  total: string,
  balances: ReadonlyMap<string, AvailableBalance>,
): DetailPair {
  const balance = balances.get(currency);
  if (balance === undefined) return { label: 'Balance', value: `${currency}: not known` };
  const balanceAfter = sumDecimals([balance.available, `-${total}`]);
  const isNegative = balanceAfter.startsWith('-');
  const note = isNegative ? ' (negative; payouts are sent anyway)' : '';
  const value = `${currency} ${balance.available}, afterwards ${balanceAfter}${note}`;
  return { label: 'Balance', value, tone: isNegative ? 'bad' : 'strong' };
}

function pendingPairs(
  totals: Totals,
  balances: ReadonlyMap<string, AvailableBalance>,
  { pendingHere, flags }: ConfirmationFacts,
  isShared: boolean,
): DetailPair[] {
  if (pendingHere === null) return [];
  const senderName = isShared ? 'this state' : 'this machine';
  const reservedPairs = [...totals.keys()].map((currency) => {
    const pendingOfCurrency = pendingHere.filter((pending) => pending.currency === currency);
    const sentFromHere = sumDecimals(
      pendingOfCurrency.map(({ minor, decimals }) => fromMinor(minor, decimals)),
    );
    const reservedTotal = balances.get(currency)?.reserved ?? 'not known';
    return { label: 'Reserved', value: `${currency} ${reservedTotal} (${sentFromHere} from ${senderName})` };
  });
  const firstBatchText = `${isShared ? 'This state' : 'This machine'} has paid no batch for this company yet.`;
  const check = flags['first-here']
    ? 'You said that none of this was sent from elsewhere.'
    : 'Stop if any of this was sent from elsewhere in the last 4 days.';
  return [...reservedPairs, { label: 'First here', value: `${firstBatchText} ${check}`, tone: 'waiting' }];
}

type AvailableBalance = Readonly<Record<'available' | 'reserved', string>>;

/** Ignores a failed read, because the API key may lack the scope for balances. */
async function balancesOf({ client }: Session): Promise<Map<string, AvailableBalance>> {
  const [attempt] = (await client.call('balances', {}, { attemptsMax: 1 })).attempts;
  if (attempt?.kind !== 'success') return new Map();
  const { body } = attempt.answer;
  return new Map(
    (readList(body, 'balances')?.elements ?? []).flatMap(({ start, end }) => {
      const text = Buffer.from(body).toString('utf8', start, end);
      const entry = JSON.parse(text) as Partial<AvailableBalance> & { currency?: string };
      const { currency, available, reserved = '0' } = entry;
      if (currency === undefined || available === undefined || !isDecimal(available)) return [];
      return [[currency, { available, reserved: isDecimal(reserved) ? reserved : '0' }]];
    }),
  );
}
