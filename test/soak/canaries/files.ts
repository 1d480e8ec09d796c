import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT, DOCUMENT, PHONE } from './canaries.js';
import { PAYOUT_BODY } from './lines.js';

const PAYIN = {
  ...{ amount: '10.00', country: 'VE', currency: 'VES', method: 'debit_otp' },
  payer: { document: { type: 'V', number: DOCUMENT }, bank_code: '0102', phone: PHONE },
};

const ROWS = {
  payouts: `method,amount,country,currency,beneficiary.document.type,beneficiary.document.number,beneficiary.bank_code,beneficiary.account_number
mobile_payment,10.00,VE,VES,V,${DOCUMENT},0102,${PHONE}
`,
  payins: `method,amount,country,currency,payer.document.type,payer.document.number,payer.bank_code,payer.account_number
direct_debit,10.00,VE,VES,V,${DOCUMENT},0102,${ACCOUNT}
`,
};

export function writeFiles(
  folder: string,
  { key, secret }: { readonly key: string; readonly secret: string },
): void {
  const put = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
  put('key.txt', `${key}\n`);
  put('secret.txt', `${secret}\n`);
  put('body.json', PAYOUT_BODY);
  put('payin.json', JSON.stringify(PAYIN));
  put('payouts.csv', ROWS.payouts);
  put('payins.csv', ROWS.payins);
}
