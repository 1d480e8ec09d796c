const PLACE = ['--country', 'VE', '--currency', 'VES'];

export function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function party(flag: string, number: string, ...fields: readonly string[]): string[] {
  return ['document.type=V', `document.number=${number}`, 'bank_code=0102', ...fields].flatMap((field) => [
    flag,
    field,
  ]);
}

export function debitOtp(number = '12345678', amount = '10.00'): string[] {
  return [
    ...words(`payins create --method debit_otp --amount ${amount}`),
    ...PLACE,
    ...party('--payer', number, 'phone=04121234567'),
  ];
}

export function directDebit(number = '12345678'): string[] {
  return [
    ...words('payins create --method direct_debit --amount 20.00'),
    ...PLACE,
    ...party('--payer', number, 'account_number=01020123456789012345'),
  ];
}

export function incomingTransfer(amount = '30.00'): string[] {
  return [
    ...words(`payins create --method incoming_transfer --amount ${amount}`),
    ...PLACE,
    ...party('--payer', '12345678'),
  ];
}

export function incomingMobile(amount = '40.00'): string[] {
  return [
    ...words(`payins create --method incoming_mobile_payment --amount ${amount}`),
    ...PLACE,
    ...party('--payer', '12345678', 'phone=04121234567'),
  ];
}

export function payout(number = '12345678', amount = '5.00'): string[] {
  return [
    ...words(`payouts create --method mobile_payment --amount ${amount}`),
    ...PLACE,
    ...party('--beneficiary', number, 'account_number=04121234567'),
  ];
}

export const PAYOUT_BODY =
  '{"amount":"5.00","country":"VE","currency":"VES","method":"mobile_payment","beneficiary":' +
  '{"document":{"type":"V","number":"12345678"},"bank_code":"0102","account_number":"04121234567"}}';

export function operation(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    ...{ id: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', type: 'payout', country: 'VE', currency: 'VES' },
    ...{ method: 'mobile_payment', amount: '5.00', status: 'confirmed', pending_reason: null },
    ...changes,
  };
}

export const ID = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
