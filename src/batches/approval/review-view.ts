import { counted, groupDigits } from '../../contract/on-screen.js';
import type { ReviewedPlan, ReviewFinding } from './review.js';
import { escapeText } from '../../output/escape.js';
import type { Style } from '../../output/style.js';
import { wrap, wrapPieces, widthOf } from '../../output/width.js';

const SHOWN_MAX = 20;
const LABEL_WIDTH = 14;
const FINDING_WIDTH = 20;
const LARGEST_SHOWN = 3;

export function renderReview(review: ReviewedPlan, width: number, style: Style): string {
  const { batch, environment, address, company, type, digest, made_at, valid_until } = review;
  const companyText =
    company === null ? 'company not known' : `company ${company.letters ?? 'without letters'}`;
  const head = [batch, environment, address, companyText, `${type}s`].map(escapeText);
  const [first = '', ...rest] = inColumns(head, width);
  const plan = `plan ${digest.slice(0, 12)}`;
  const largest = review.largest.map(
    ({ currency, amount, reference }) => `${currency} ${groupDigits(amount)} ${escapeText(reference)}`,
  );
  const { approvers = [], refused = [] } = review.approvals ?? {};
  const names = approvers.map(({ name }) => escapeText(name));
  const lines = [
    style.strong(first),
    ...rest,
    ...wrap(`${plan}   made ${shortTime(made_at)}, valid until ${shortTime(valid_until)}`, width),
    ...labelled('made by', makerText(review), width),
    ...labelled('total', totalText(review), width),
    ...labelled('largest', largest.slice(0, LARGEST_SHOWN).join(', '), width),
    ...(review.since === null ? [] : labelled('new since', review.since, width)),
    ...(names.length === 0 ? [] : labelled('approved by', names.join(', '), width)),
    ...refused.flatMap(({ file, why }) =>
      labelled('not counted', `${escapeText(file)} ${escapeText(why)}`, width),
    ),
    ...findingLines(review, width, style),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function inColumns(pieces: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 3 + widthOf(piece) <= width)
      lines[lines.length - 1] = `${last}   ${piece}`;
    else lines.push(...wrap(piece, width));
  }
  return lines;
}

function labelled(label: string, value: string, width: number): string[] {
  return indented(label, wrap(value, Math.max(width - LABEL_WIDTH, 20)), LABEL_WIDTH);
}

function indented(label: string, lines: readonly string[], indent: number): string[] {
  return lines.map((line, at) => (at === 0 ? label : '').padEnd(indent) + line);
}

function shortTime(text: string): string {
  const [, day, month, , time = ''] = new Date(text).toUTCString().split(' ');
  return `${Number(day)} ${month} ${time.slice(0, 5)} UTC`;
}

function makerText({ maker, approvals }: ReviewedPlan): string {
  const name = approvals?.maker_name ?? null;
  const shortPrint = `${maker?.slice(0, 'SHA256:'.length + 12) ?? ''}...`;
  const makerName = name === null ? shortPrint : `${escapeText(name)} (${shortPrint})`;
  const keyText = maker === null ? 'nobody has signed as its maker' : makerName;
  const unsignedNote = approvals?.maker_signed === false ? ' (not signed)' : '';
  if (approvals === null) return `${keyText}      approvals: not checked`;
  const { counted: given, needed } = approvals;
  return `${keyText}${unsignedNote}      approvals: ${given}${needed === null ? '' : ` of ${needed}`}`;
}

function totalText({ totals, left_out, skipped_pending: pending = [] }: ReviewedPlan): string {
  const sums = totals.map(
    ({ currency, rows, total }) => `${currency} ${groupDigits(total)} in ${counted(rows, 'row')}`,
  );
  const why = pending.length === 0 ? 'already paid' : `${pending.length} of them pending`;
  const leftOut = left_out === 0 ? '' : `; ${counted(left_out, 'row')} left out (${why})`;
  return `${sums.join(', ')}${leftOut}`;
}

const TITLES: Readonly<Record<ReviewFinding['code'], string>> = {
  account_changed: 'account changed',
  unusual_amount: 'unusual amount',
  new_beneficiary: 'new beneficiary',
  same_account: 'same account',
  mixed_letters: 'mixed letters',
};

function findingLines({ findings, counts, compared }: ReviewedPlan, width: number, style: Style): string[] {
  const advice = compared === 0 ? wrap('Compared with no earlier plan: add --against.', width) : [];
  if (findings.length === 0)
    return compared === 0
      ? advice
      : wrap(`Nothing is other than in ${counted(compared, 'earlier plan')}.`, width);
  const codes = (Object.keys(TITLES) as ReviewFinding['code'][]).filter((code) => (counts[code] ?? 0) > 0);
  const lines = codes.flatMap((code) => {
    const shownFindings = findings.filter((one) => one.code === code).slice(0, SHOWN_MAX);
    const pairs = shownFindings.map((one): [lead: string, text: string] => {
      const lead = one.code === 'same_account' ? `${one.reference} and ${one.other}` : one.reference;
      return [escapeText(lead), findingText(one)];
    });
    const leadWidth = Math.min(24, Math.max(...pairs.map(([lead]) => widthOf(lead))));
    const remaining = (counts[code] ?? 0) - shownFindings.length;
    if (remaining > 0) pairs.push([`and ${remaining} more`, '']);
    return pairs.flatMap(([lead, text]) => linesOfFinding(TITLES[code], [lead, text, leadWidth], width));
  });
  const heading = wrap('Check these before you approve:', width);
  return [...heading.map((line) => style.strong(line)), ...lines, ...advice];
}

function linesOfFinding(
  title: string,
  [lead, text, leadWidth]: readonly [lead: string, text: string, leadWidth: number],
  width: number,
): string[] {
  const paddedLead = lead + ' '.repeat(Math.max(0, leadWidth - widthOf(lead)));
  const line = text === '' ? lead : `${paddedLead}   ${text}`;
  const room = Math.max(width - FINDING_WIDTH, 20);
  const isShort = FINDING_WIDTH + widthOf(line) <= width;
  const lines = isShort ? [line] : wrapPieces([lead, ...wrap(text, room)], room);
  return indented(`  ${title}`, lines, FINDING_WIDTH);
}

function findingText(finding: ReviewFinding): string {
  switch (finding.code) {
    case 'account_changed': {
      const { before, now, account_of } = finding;
      const changed = `****${escapeText(before ?? '')} before, ****${escapeText(now ?? '')} now`;
      return account_of === null ? changed : `${changed}; ${ownerText(account_of)}`;
    }
    case 'unusual_amount': {
      const { currency, amount, most_before } = finding;
      return `${currency} ${groupDigits(amount)}; at most ${groupDigits(most_before)} before`;
    }
    case 'new_beneficiary':
      return finding.account_of === null ? '' : ownerText(finding.account_of);
    case 'same_account':
      return '';
    case 'mixed_letters':
      return `Latin beside Cyrillic or Greek letters in the ${finding.field}`;
  }
}

function ownerText(reference: string): string {
  return `the account was ${escapeText(reference)}'s before`;
}
