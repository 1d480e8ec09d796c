/** What a person reads before a live batch is sent: what, where to, the largest rows, and what is left of the balance. */
import type { Batch } from '../../bulk/store/batch.js';
import { momentText } from '../../contract/notation.js';
import { readList } from '../../contract/json-bytes.js';
import { fromMinor, isDecimal, sumDecimals } from '../../contract/money.js';
import { type DetailPair, renderSections, type Section } from '../../output/detail.js';
import { liveTitle } from '../../output/style.js';
import { renderTime } from '../../output/time.js';
import type { Ports } from '../../runtime/ports.js';
import { styleForErrors } from '../line/interaction.js';
import type { Session } from '../session/session.js';
import { placeSection } from '../session/where-shown.js';
import { storesOf } from '../stores/stores-of-run.js';
import type { Confirming, Totals } from './confirmation.js';

const LARGEST = 5;

/** Ends with an empty line: the question stands under it. */
export async function liveSummary(batch: Batch, totals: Totals, confirming: Confirming): Promise<string> {
  const { session, store, states, letters } = confirming;
  const largest = await store.largest(batch.id, LARGEST, states);
  const widest = Math.max(0, ...largest.map(({ amount }) => amount.length));
  const balances =
    batch.direction === 'payout' ? await balancesOf(session) : new Map<string, AvailableBalance>();
  const isPayout = batch.direction === 'payout';
  const sections: Section[] = [
    placeSection({ ...batch, company: letters ?? 'not known (no operation yet)' }),
    { title: 'What is sent', pairs: whatPairs(batch, totals, confirming.ports) },
    {
      title: 'Largest rows',
      pairs: largest.map(({ currency, amount, reference, line }) => ({
        label: `Line ${line}`,
        value: `${currency} ${amount.padStart(widest)}  ${reference}`,
        whole: true,
      })),
    },
    {
      title: 'The account',
      pairs: [
        ...(isPayout ? [...totals].map(([code, { total }]) => balancePair(code, total, balances)) : []),
        ...pendingPairs(totals, balances, confirming),
      ],
    },
  ];
  const style = await styleForErrors(confirming.ports, confirming.flags);
  const width = confirming.ports.errors.isTTY ? confirming.ports.errors.columns : Infinity;
  return `${liveTitle(style)}\n\n${renderSections(sections, width, style)}\n`;
}

function whatPairs(batch: Batch, totals: Totals, { zone }: Pick<Ports, 'zone'>): DetailPair[] {
  const since = batch.sinceMs === null ? null : momentText(batch.sinceMs);
  return [
    { label: 'Batch', value: batch.name, whole: true },
    { label: 'File', value: batch.file, whole: true },
    { label: 'SHA-256', value: batch.fileHash },
    { label: 'Rows', value: String([...totals.values()].reduce((sum, { rows }) => sum + rows, 0)) },
    ...[...totals].map(([currency, { rows, total }]): DetailPair => ({
      label: 'Total',
      value: `${currency} ${total} (${rows} ${rows === 1 ? 'row' : 'rows'})`,
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
  const after = sumDecimals([balance.available, `-${total}`]);
  const isNegative = after.startsWith('-');
  const note = isNegative ? ' (negative; payouts are sent anyway)' : '';
  const value = `${currency} ${balance.available}, afterwards ${after}${note}`;
  return { label: 'Balance', value, tone: isNegative ? 'bad' : 'strong' };
}

/** Pending operations have no event yet: money that is reserved and that nobody here knows of was sent from elsewhere. */
function pendingPairs(
  totals: Totals,
  balances: ReadonlyMap<string, AvailableBalance>,
  { pendingHere, ports, flags }: Confirming,
): DetailPair[] {
  if (pendingHere === null) return [];
  const { isShared } = storesOf({ ports, flags }).where;
  const who = isShared ? 'this state' : 'this machine';
  const reserved = [...totals.keys()].map((currency) => {
    const mine = pendingHere.filter((pending) => pending.currency === currency);
    const here = sumDecimals(mine.map(({ minor, decimals }) => fromMinor(minor, decimals)));
    const all = balances.get(currency)?.reserved ?? 'not known';
    return { label: 'Reserved', value: `${currency} ${all} (${here} from ${who})` };
  });
  const first = `${isShared ? 'This state' : 'This machine'} has paid nothing for this company yet.`;
  const check = flags['first-here']
    ? 'You said that none of this was sent from elsewhere.'
    : 'Stop if any of this was sent from elsewhere in the last 4 days.';
  return [...reserved, { label: 'First here', value: `${first} ${check}`, tone: 'waiting' }];
}

/** Decimal strings. */
interface AvailableBalance {
  readonly available: string;
  readonly reserved: string;
}

/** By currency; empty where they can't be read: a key may lack the scope, and the service does not brake by them. */
async function balancesOf({ client }: Session): Promise<Map<string, AvailableBalance>> {
  const { attempts } = await client.call('balances', {}, { attemptsMax: 1 });
  const [attempt] = attempts;
  if (attempt?.kind !== 'success') return new Map();
  const { body } = attempt.answer;
  return new Map(
    (readList(body, 'balances')?.elements ?? []).flatMap(({ start, end }) => {
      const entry = JSON.parse(
        Buffer.from(body).toString('utf8', start, end),
      ) as Partial<AvailableBalance> & {
        currency?: string;
      };
      const { currency, available, reserved = '0' } = entry;
      if (currency === undefined || available === undefined || !isDecimal(available)) return [];
      return [[currency, { available, reserved: isDecimal(reserved) ? reserved : '0' }]];
    }),
  );
}
