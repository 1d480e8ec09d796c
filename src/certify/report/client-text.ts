import { counted } from '../../contract/on-screen.js';
import { type ClientRule, likelyReason } from '../client/judge.js';
import { groupsOf, otherCases } from './client-report.js';
import { type ExamReport, findingHead } from './report.js';
import type { ClientFindings } from '../run/examine.js';
import { relatedLines, repeatLines } from './print.js';
import type { SeenRun, SeenAnswer } from '../client/request-seen.js';
import { maskText } from '../../sandbox/log/sides.js';

/** These sentences are quoted from the contract word for word. */
const CONTRACT_SENTENCES: Readonly<Partial<Record<ClientRule, string>>> = {
  'same-body': 'The same key with another body gets 409 `idempotency_key_reused`.',
  'same-key': 'The same key with the same body gets the same operation',
  'paid-once': 'The same key with the same body gets the same operation',
  'same-bytes': 'The same key with the same body gets the same operation',
  'look-first':
    '`confirm`, `resend-code` and `cancel` have no key: look the operation up before you repeat one.',
  'code-once': 'A pay-in allows five requests for another code, and one attempt.',
  'says-done': 'A 201 says that the operation exists. Its `status` says whether money moved.',
  'says-done-failed': 'A 201 says that the operation exists. Its `status` says whether money moved.',
  tolerant: 'A reader is tolerant: it keeps unknown members and values',
};

export function clientLines({ outcomes }: ExamReport, { cases }: ClientFindings): string[] {
  const reason = likelyReason(cases.flatMap(({ broken }) => broken));
  const brokenLines = groupsOf(outcomes).flatMap(({ rule, outcomes: group }) => {
    const [first] = group;
    if (first === undefined) return [];
    const run = cases.find(({ theCase }) => theCase.id === first.id)?.run;
    const quote = CONTRACT_SENTENCES[rule];
    const explainedRules = [...new Set(group.flatMap(({ andSo }) => andSo?.split(', ') ?? []))];
    return [
      findingHead(`${rule} (${counted(group.length, 'case')})`, first),
      `  ${first.id}`,
      ...(run === undefined ? [] : conversationLines(run, first.requests).map((line) => `    ${line}`)),
      ...(first.why === null ? [] : [`    ${first.why}`]),
      ...(quote === undefined ? [] : [`    "${quote.replaceAll('`', '')}"`]),
      ...repeatLines(first, '    '),
      ...relatedLines(otherCases(group).join(', '), explainedRules.join(', ')),
    ];
  });
  const notJudged = outcomes.filter(({ status }) => status === 'not_judged');
  const notJudgedLines = [...Map.groupBy(notJudged, ({ why }) => why ?? '')].flatMap(([why, group]) => {
    const [first] = group;
    if (first === undefined) return [];
    const lines = [findingHead(first.id, first), `    ${why}`, ...repeatLines(first, '    ')];
    return [...lines, ...relatedLines(otherCases(group).join(', '), '')];
  });
  return [...brokenLines, ...notJudgedLines, ...(reason === null ? [] : [reason])];
}

function conversationLines({ requests }: SeenRun, shownNumbers: readonly number[]): string[] {
  const shown = requests.filter(({ number }) => shownNumbers.includes(number));
  const requestTexts = shown.map(({ number, method, target, route, key }) => {
    const what = route ?? maskText(target.split('?', 1)[0] ?? '');
    return `#${String(number)} ${method} ${what}${key === null ? '' : ` key ${maskText(key)}`}`;
  });
  const width = Math.max(0, ...requestTexts.map(({ length }) => length));
  return shown.map(({ atMs, isCarriedOut, answer }, at) => {
    const previous = shown[at - 1];
    const ms = previous === undefined ? null : Math.round(atMs - (previous.endedMs ?? atMs));
    const later = ms === null ? '' : ms < 0 ? 'before that one ended, ' : `${String(ms)} ms later, `;
    const isRefused = answer.kind === 'readable' && answer.status >= 400 && answer.status < 500;
    const done = isCarriedOut && !isRefused ? 'carried out, ' : '';
    return `${(requestTexts[at] ?? '').padEnd(width)}  ${later}${done}${answerText(answer)}`;
  });
}

function answerText(answer: SeenAnswer): string {
  if (answer.kind === 'none') return 'no answer';
  if (answer.kind === 'unreadable') return `answered ${String(answer.status)} with bytes that cannot be read`;
  const { status, code, operation, retryAfterSeconds: seconds } = answer;
  const wait = seconds === null ? '' : `, Retry-After: ${String(seconds)}`;
  const statusWord = code ?? operation?.status ?? '';
  return `answered ${String(status)}${statusWord === '' ? '' : ` ${statusWord}`}${wait}`;
}
