import { jsonIn } from '../../../contract/json.js';
import { withoutJoiners } from '../../../contract/on-screen.js';
import { foldReference, referenceProblem } from '../../../contract/reference.js';
import { toMinor } from '../../../contract/money.js';
import { isObject } from '../../../contract/shape.js';
import { damaged, UNSEEN } from './format.js';

export interface PlanRow {
  readonly number: number;
  readonly line: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly reference: string;
  readonly folded: string;
  readonly amount: string;
  readonly decimals: number;
  readonly minor: bigint;
  readonly currency: string;
}

const PLAN_AMOUNT = /^(?:0|[1-9][0-9]{0,17})(?:[.]([0-9]{1,18}))?$/;
const AMOUNT_DIGITS_MAX = 18;
const PLAIN_LINE = /^[\x20-\x5b\x5d-\x7e]*$/;

export function readPlanRow(line: string, number: number): PlanRow {
  const at = number + 2;
  const body = jsonIn(line);
  if (!isObject(body)) damaged('is not a JSON object', at);
  if (lineOf(body) !== line) damaged('is not in its one spelling', at);
  const unseen = PLAIN_LINE.test(line) ? null : memberWithUnseen(body);
  if (unseen !== null) damaged(`has a character in ${JSON.stringify(unseen)} that nobody sees`, at);
  const text = (name: string): string => {
    const value = body[name];
    return typeof value === 'string' && value !== '' ? value : damaged(`has no ${name}`, at);
  };
  const [reference, amount] = [text('reference'), text('amount')];
  text('method');
  text('country');
  const currency = text('currency').toUpperCase();
  if (!/^[A-Z]{3}$/.test(currency)) damaged('has no good currency', at);
  const folded = foldReference(reference);
  if (referenceProblem(reference) !== null || folded === '') damaged('has no good reference', at);
  const decimals = PLAN_AMOUNT.exec(amount)?.[1]?.length ?? 0;
  const minor = PLAN_AMOUNT.test(amount) ? toMinor(amount, decimals) : null;
  if (minor === null || minor <= 0n || String(minor).length > AMOUNT_DIGITS_MAX)
    damaged('has no good amount', at);
  return { number, line, body, reference, folded, amount, decimals, minor, currency };
}

/** `JSON.stringify` fails if the body is nested too deep. */
function lineOf(body: object): string | null {
  try {
    return JSON.stringify(body);
  } catch {
    return null;
  }
}

function memberWithUnseen(body: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(body)) {
    if (UNSEEN.test(name)) return '';
    const queue: [path: string, value: unknown][] = [[name, value]];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [path, one] = next;
      const isFree = path.endsWith('.name') || path.startsWith('metadata.');
      if (typeof one === 'string' && UNSEEN.test(isFree ? withoutJoiners(one) : one)) return name;
      if (typeof one === 'object' && one !== null)
        for (const [inner, below] of Object.entries(one))
          queue.push([`${path}.${inner}`, inner], [`${path}.${inner}`, below]);
    }
  }
  return null;
}
