import type { Run } from '../../command/command.js';
import { absentFailure } from '../refusals.js';
import { isPersonThere, readTypedAnswer, styleForErrors, typesYes } from '../../command/line/terminal.js';
import { whereFlags, whereFlagsIn } from '../../session/place-flags.js';
import { printerOfAnything } from '../../command/printer.js';
import { compareDecimals, isDecimal, moneyText, sumDecimals } from '../../contract/money.js';
import type { Journal } from '../../storage/journal/journal.js';
import type { JournalRequest } from '../../storage/journal/request.js';
import { renderNote } from '../../output/error-prose.js';
import { liveTitle } from '../../output/style.js';
import { Failure } from '../../runtime/failure.js';
import { svcLine } from '../../runtime/shell.js';

const SHOWN_MAX = 20;

export async function forgetRequests(run: Run, key: string | null): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags);
  await using journal = await run.app.openJournal();
  const requests = await openRequests(journal, key);
  if (requests.length > 0) await askPerson(requests, key, run);
  const rows = new Set(requests.map(({ row }) => row));
  if (key === null && (await openRequests(journal, null)).some(({ row }) => !rows.has(row)))
    throw new Failure('unsafe', 'Another request was sent after the question. Nothing was forgotten.', {
      code: 'not_confirmed',
      outcome: 'unknown',
      nextCommand: svcLine('requests list', whereFlags(flags)),
    });
  const forgottenCount = await journal.forget(key ?? undefined);
  if (forgottenCount === 0 && key !== null) throw absentFailure(await journal.withKey(key), run);
  await printer.answer(Buffer.from(JSON.stringify({ forgotten: forgottenCount })));
}

async function openRequests(journal: Journal, key: string | null): Promise<JournalRequest[]> {
  const requests = await journal.openForDisplay();
  return requests.filter(
    ({ state, idempotencyKey }) => state === 'open' && (key ?? idempotencyKey) === idempotencyKey,
  );
}

async function askPerson(requests: readonly JournalRequest[], key: string | null, run: Run): Promise<void> {
  const { ports, flags } = run;
  if (flags.yes) return;
  if (!isPersonThere(ports, { 'no-input': flags['no-input'] })) throw unconfirmedFailure(requests, key, run);
  const style = await styleForErrors(ports, flags);
  const isLive = requests.some(({ environment }) => environment === 'live');
  const head = `${headOf(requests)} After this, nobody can repeat ${requests.length === 1 ? 'it' : 'them'}:`;
  const note = renderNote(ports.redact([head, ...itemsOf(requests)].join('\n')), ports.errors);
  await ports.errors.write(`${isLive ? `${liveTitle(style)}\n\n` : ''}${note}`);
  const totals = totalsOf(requests);
  for (const [currency, total] of totals) {
    await ports.errors.write(`${style.strong(`Type the total in ${currency} to forget it:`)} `);
    const answer = await readTypedAnswer(ports, 'Nothing was forgotten.');
    const typedTotal = answer?.trim().replace(/^[A-Z]{3}[: ]/i, '') ?? '';
    if (!isDecimal(typedTotal) || compareDecimals(typedTotal, total) !== 0)
      throw declinedFailure(requests, key, run);
  }
  if (totals.size > 0) return;
  await ports.errors.write(`${style.strong('Type yes to forget:')} `);
  if (!(await typesYes(ports, 'Nothing was forgotten.', !isLive))) throw declinedFailure(requests, key, run);
}

function totalsOf(requests: readonly JournalRequest[]): Map<string, string> {
  const totals = new Map<string, string>();
  for (const { environment, amount, currency } of requests) {
    if (environment !== 'live' || amount === null || currency === null || !isDecimal(amount)) continue;
    totals.set(currency, sumDecimals([totals.get(currency) ?? '0', amount]));
  }
  return totals;
}

function headOf(requests: readonly JournalRequest[]): string {
  return requests.length === 1
    ? 'The outcome of this request is unknown: it may have paid.'
    : `The outcome of ${String(requests.length)} requests is unknown: each may have paid.`;
}

function itemsOf(requests: readonly JournalRequest[]): string[] {
  const lines = requests.slice(0, SHOWN_MAX).map((request) => {
    const { environment, endpoint, idempotencyKey } = request;
    return `  ${[environment, endpoint, moneyText(request), idempotencyKey].filter((word) => word !== '').join(' ')}`;
  });
  return requests.length > SHOWN_MAX
    ? [...lines, `  and ${String(requests.length - SHOWN_MAX)} more`]
    : lines;
}

function declinedFailure(requests: readonly JournalRequest[], key: string | null, { flags }: Run): Failure {
  const [firstRequest] = requests;
  const isOne = requests.length === 1 && firstRequest !== undefined;
  const hasOtherEnvironment = requests.some(({ environment }) => environment !== firstRequest?.environment);
  const placeFlags =
    firstRequest === undefined || hasOtherEnvironment
      ? whereFlags(flags)
      : whereFlagsIn(firstRequest.environment, flags);
  return new Failure(
    'unsafe',
    `Not confirmed. Nothing was forgotten. Repeat ${isOne ? 'it' : 'them'} with the same ${isOne ? 'key' : 'keys'}, never with a new key.`,
    {
      code: 'not_confirmed',
      outcome: 'unknown',
      idempotencyKey: key ?? undefined,
      nextCommand: isOne
        ? svcLine('requests repeat', placeFlags, ['--', firstRequest.idempotencyKey])
        : svcLine('requests repeat', ['--all', ...placeFlags]),
    },
  );
}

function unconfirmedFailure(
  requests: readonly JournalRequest[],
  key: string | null,
  { flags }: Run,
): Failure {
  const words = ['--yes', ...whereFlags(flags)];
  const text = `${headOf(requests)} Not confirmed. In a script, add --yes. Nothing was forgotten.`;
  return new Failure('unsafe', text, {
    code: 'not_confirmed',
    outcome: 'unknown',
    idempotencyKey: key ?? undefined,
    items: itemsOf(requests).map((line) => line.trim()),
    nextCommand:
      key === null
        ? svcLine('requests forget', ['--all', ...words])
        : svcLine('requests forget', words, ['--', key]),
  });
}
