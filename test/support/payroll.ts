import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const COLUMNS = [
  ...['reference', 'amount', 'country', 'currency', 'method', 'purpose', 'beneficiary.name'],
  ...['beneficiary.document.type', 'beneficiary.document.number'],
  ...['beneficiary.bank_code', 'beneficiary.account_number'],
] as const;
export type Cells = Readonly<Record<string, string>>;

export function person(at: number, changes: Cells = {}): Cells {
  return {
    ...{ reference: `emp-${String(at).padStart(4, '0')}`, amount: `${100 + at}.50`, country: 'VE' },
    ...{ currency: 'VES', method: 'mobile_payment', purpose: 'payroll', 'beneficiary.name': 'Ana Pérez' },
    ...{ 'beneficiary.document.type': 'V', 'beneficiary.document.number': String(20_000_000 + at) },
    ...{ 'beneficiary.bank_code': '0102', 'beneficiary.account_number': `0412${String(1_000_000 + at)}` },
    ...changes,
  };
}

export const FAILING = { 'beneficiary.document.number': '00000001' };
export const PENDING = { 'beneficiary.document.number': '00000002' };

export function people(count: number, changes: (at: number) => Cells = () => ({})): Cells[] {
  return Array.from({ length: count }, (_, at) => person(at, changes(at)));
}

export function csv(rows: readonly Cells[], columns: readonly string[] = COLUMNS, lineEnd = '\n'): string {
  const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const lines = rows.map((row) => columns.map((name) => quoted(row[name] ?? '')).join(','));
  return [columns.join(','), ...lines, ''].join(lineEnd);
}

export function ndjson(rows: readonly Cells[]): string {
  return rows.map((row) => `${JSON.stringify(bodyOf(row))}\n`).join('');
}

export function bodyOf(row: Cells): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    const path = name.split('.');
    let group = body;
    for (const part of path.slice(0, -1)) group = (group[part] ??= {}) as Record<string, unknown>;
    group[path.at(-1)!] = value;
  }
  return body;
}

export function feesCsv(method: string, rows = [1, 2, 3].map((at) => `fee-${at},${20 + at}.00`)): string {
  const isDebit = method === 'direct_debit';
  const party = ['document.type', 'document.number', 'bank_code', ...(isDebit ? ['account_number'] : [])];
  const head = [
    ...['reference', 'amount', 'country', 'currency', 'method'],
    ...party.map((name) => `payer.${name}`),
  ];
  const payer = `V,12345678,0102${isDebit ? ',01020123456789012345' : ''}`;
  return [head.join(','), ...rows.map((row) => `${row},VE,VES,${method},${payer}`), ''].join('\n');
}

export function fileIn(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
