import { bodyLine, headLine } from '../../../../src/batches/approval/plan/format.js';
import { PlanCount, type PlanFacts, readPlanRow } from '../../../../src/batches/approval/plan/read.js';

export const OPERATION = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';

export const FACTS: PlanFacts = {
  environment: 'live',
  address: 'https://api.example.com',
  company: { letters: 'TCP', operation: OPERATION },
  direction: 'payout',
  batch: 'payroll-11',
  since: null,
  left_out: 1,
  made_at: '2026-11-24T09:00:00Z',
  valid_until: '2026-11-27T09:00:00Z',
  maker: null,
};

export interface GivenRow {
  readonly reference: string;
  readonly amount: string;
  readonly account: string;
  readonly name?: string;
  readonly document?: string;
  readonly currency?: string;
}

export const PAYROLL: readonly GivenRow[] = [
  { reference: 'emp-1', amount: '1500.50', account: '04121234567' },
  { reference: 'emp-2', amount: '980.00', account: '04149876543' },
  { reference: 'emp-3', amount: '1200.00', account: '04141112233' },
];

export function bodyOf({ reference, amount, account, name, document, currency = 'VES' }: GivenRow): string {
  const number = document ?? reference.replace(/\D/g, '').padStart(8, '1');
  return JSON.stringify({
    ...{ amount, country: 'VE', currency, method: 'mobile_payment', reference },
    beneficiary: {
      ...{ name: name ?? 'Nombre Apellido', document: { type: 'V', number } },
      ...{ bank_code: '0102', phone: account },
    },
  });
}

export function planOf(
  facts: Partial<PlanFacts> = {},
  bodies: readonly string[] = PAYROLL.map(bodyOf),
): Buffer {
  const count = new PlanCount();
  const lines = bodies.map((body) => bodyLine(Buffer.from(body)));
  for (const [at, line] of lines.entries()) count.add(readPlanRow(line, at));
  return Buffer.from(`${[headLine(count.head({ ...FACTS, ...facts })), ...lines].join('\n')}\n`);
}

export function* chunked(bytes: Uint8Array, size = 65_536): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
