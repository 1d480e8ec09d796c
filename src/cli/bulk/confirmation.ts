/** Confirms what a batch is about to send: live by its exact totals, which a person types and a script passes. */
import type { BatchStore, PendingMoney } from '../../bulk/store/batch-store.js';
import type { Batch } from '../../bulk/store/batch.js';
import type { RowState } from '../../bulk/row-state.js';
import { compareDecimals, isDecimal } from '../../contract/money.js';
import { Failure } from '../../runtime/failure.js';
import { commandLine } from '../../runtime/shell.js';
import type { SendingFlags } from './flags.js';
import { isPersonThere, readTypedAnswer, styleForErrors } from '../line/interaction.js';
import { withFlags, withoutFlags } from '../line/shell.js';
import { liveSummary } from './live-summary.js';
import type { SessionRun } from '../session/session.js';
import { storesOf } from '../stores/stores-of-run.js';

/** What is about to be sent: exact totals by currency, decimal strings. */
export type Totals = ReadonlyMap<string, { readonly rows: number; readonly total: string }>;

export interface Confirming extends SessionRun<SendingFlags> {
  readonly store: BatchStore;
  /** What the command line has confirmed already. */
  readonly confirmed: ReadonlyMap<string, string>;
  /** The rows that are about to be sent. */
  readonly states: readonly RowState[];
  /** Other totals that the command line may confirm as well: what was confirmed before. */
  readonly accepted: readonly Totals[];
  /** The company's three letters; null where no operation shows them yet. */
  readonly letters: string | null;
  /** What this machine knows to be pending, where nothing was ever confirmed from here; null where something was. */
  readonly pendingHere: readonly PendingMoney[] | null;
}

/**
 * Returns where the batch may be sent. The sandbox asks for nothing, but holds what is confirmed to what is there.
 * @throws Failure `unsafe` where it was not confirmed, or something else was; Stopped
 */
export async function confirmBatch(batch: Batch, totals: Totals, confirming: Confirming): Promise<void> {
  const { ports, flags, session, confirmed, accepted, pendingHere, typed } = confirming;
  refuseOthers([totals, ...accepted], confirmed);
  const open = [...totals].filter(([currency]) => !confirmed.has(currency));
  if (session.environment !== 'live' || totals.size === 0) return;
  if (!flags.quiet || open.length > 0) await ports.errors.write(await liveSummary(batch, totals, confirming));
  const isPerson = isPersonThere(ports, { 'no-input': flags['no-input'] });
  if (pendingHere !== null && !flags['first-here'] && (open.length === 0 || !isPerson))
    throw firstHere(storesOf({ ports, flags }).where.isShared, typed);
  if (open.length === 0) return;
  if (!isPerson) throw notConfirmed(totals, typed);
  for (const [currency, { total }] of open) {
    const style = await styleForErrors(ports, flags);
    await ports.errors.write(`${style.strong(`Type the total in ${currency} to send it:`)} `);
    const answer = await readTypedAnswer(ports, 'Nothing was sent.');
    const said = answer?.trim().replace(/^[A-Z]{3}[: ]/i, '') ?? '';
    if (!isDecimal(said) || compareDecimals(said, total) !== 0)
      throw notConfirmed(
        // The first time here, a line that confirms the totals alone would be refused: the person is asked again.
        pendingHere === null || flags['first-here'] ? totals : new Map(),
        typed,
        said === '' ? '' : `"${said}" is not the total ${currency} ${total}. `,
      );
  }
}

function refuseOthers(accepted: readonly Totals[], confirmed: ReadonlyMap<string, string>): void {
  for (const [currency, amount] of confirmed) {
    const known = accepted.flatMap((totals) => totals.get(currency)?.total ?? []);
    if (known.some((total) => compareDecimals(total, amount) === 0)) continue;
    const [first] = known;
    const is =
      first === undefined ? `The batch has nothing in ${currency}` : `The total is ${currency} ${first}`;
    throw new Failure('unsafe', `${is}, but --confirm-total says ${currency}:${amount}. Nothing was sent.`, {
      code: 'total_differs',
    });
  }
}

/** @param isShared what machines know that share a state is there, and not what one of them paid without it */
function firstHere(isShared: boolean, typed: readonly string[]): Failure {
  const who = isShared ? 'The state that machines share here' : 'This machine';
  return new Failure(
    'unsafe',
    `${who} has paid nothing for this company yet, so svc cannot see what is pending elsewhere. Nothing was sent. ` +
      'If none of this was sent from elsewhere in the last 4 days, add --first-here.',
    {
      ...{ code: 'first_here', outcome: 'not_sent' },
      otherCommand: {
        when: 'If none of it was',
        line: commandLine(['svc', ...withFlags(typed, ['--first-here'])]),
      },
    },
  );
}

/** @param why what a person typed instead; null where nobody was asked */
function notConfirmed(totals: Totals, typed: readonly string[], why: string | null = null): Failure {
  const flags = [...totals].flatMap(([currency, { total }]) => ['--confirm-total', `${currency}:${total}`]);
  const words = withFlags(withoutFlags(typed, ['--confirm-total']), flags);
  return new Failure(
    'unsafe',
    why === null
      ? `Not confirmed. Nothing was sent. In a script, confirm the exact totals: ${flags.join(' ')}`
      : `Not confirmed. ${why}Nothing was sent.`,
    {
      code: 'not_confirmed',
      otherCommand: { when: 'If these totals are right', line: commandLine(['svc', ...words]) },
    },
  );
}
