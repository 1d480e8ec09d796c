import { type Direction, METHODS } from '../../contract/operation.js';
import type { CallName, Setting, State, Answers } from './dialogue.js';
import { maskPersonal } from '../../contract/on-screen.js';
import { entryOf, type Question, questionsOf } from './questions.js';

export function nounOf({ direction }: Pick<Setting, 'direction'>): 'pay-in' | 'payout' {
  return direction === 'payin' ? 'pay-in' : 'payout';
}

export function summaryTitle({ direction }: Setting): string {
  return direction === 'payin' ? 'Collect' : 'Send';
}

export function nextStepText({ setting, answers }: State): string {
  const entry = entryOf(setting, answers);
  if (setting.direction === 'payout') return 'send it';
  switch (entry === null ? null : METHODS[entry.code].flow) {
    case 'code':
      return 'create it; the bank then sends the payer a code';
    case 'payment':
      return 'create it; the payer then sends the money';
    default:
      return 'create it; the bank then collects it';
  }
}

export const AMOUNT_LABEL = 'Amount';

export function summaryRows(state: State): [label: string, value: string][] {
  const { answers, setting } = state;
  const rows = questionsOf(state)
    .filter(({ path }) => !['amount', 'country', 'currency', 'method'].includes(path))
    .map((question): [string, string] => [question.label, answerText(question, answers)]);
  const { amount = '', currency = '', method = '', country = '' } = answers;
  return [
    [AMOUNT_LABEL, `${amount} ${currency}`],
    ['Method', `${method} in ${country}`],
    ...rows,
    ['Environment', setting.isLive ? 'LIVE: real money' : 'sandbox: no money moves'],
    ['Sent to', setting.place],
  ];
}

export function answerText({ path, options }: Question, answers: Answers): string {
  const value = answers[path] ?? '';
  const name = options?.find((option) => option.value === value)?.label ?? '';
  return `${maskPersonal(path, value)}  ${name}`.trimEnd();
}

export function numberedLabel(state: State, at: number): string {
  const questions = questionsOf(state);
  const label = questions[at]?.label ?? '';
  const isTotalKnown = entryOf(state.setting, state.answers) !== null;
  return isTotalKnown ? `${label} (${String(at + 1)} of ${String(questions.length)})` : label;
}

export function receivingLines({ setting, answers, banks }: State): string[] {
  const account = entryOf(setting, answers)?.receiving_account ?? null;
  if (account === null) return [];
  const { bank_code: bankCode, holder, document, account_number: number, phone } = account;
  const bankName = banks?.list.find(({ code }) => code === bankCode)?.name ?? '';
  return [
    'The payer sends exactly this amount to:',
    `  Bank: ${`${bankCode}  ${bankName}`.trimEnd()}`,
    ...(number === undefined ? [] : [`  Account: ${number}`]),
    ...(phone === undefined ? [] : [`  Phone: ${phone}`]),
    `  Holder: ${holder}`,
    `  Holder's document: ${document}`,
  ];
}

export function callText(call: CallName, direction: Direction): string {
  const noun = nounOf({ direction });
  const words: Readonly<Record<CallName, string>> = {
    create: `Creating the ${noun}`,
    repeat: 'Repeating it with the same key',
    confirm: 'Confirming with the code',
    resend: 'Asking for a new code',
    lookUp: `Looking the ${noun} up`,
    follow: 'The bank is processing it; svc follows it until it is final',
  };
  return words[call];
}
