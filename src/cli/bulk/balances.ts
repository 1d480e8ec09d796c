/** The balances, as a confirmation shows them. */
import { readList } from '../../contract/list-bytes.js';
import { isDecimal } from '../../contract/money.js';
import type { Session } from '../session/session.js';

/** Decimal strings. */
export interface AvailableBalance {
  readonly available: string;
  readonly reserved: string;
}

/** By currency; empty where they can't be read: a key may lack the scope, and the service does not brake by them. */
export async function balancesOf({ client }: Session): Promise<Map<string, AvailableBalance>> {
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
