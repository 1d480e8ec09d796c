/** The sandbox's catalog of countries, methods and banks (contract sections 2.5 and 4). */
import type { Bank, Capabilities, MethodEntry, CountryEntry } from '../../contract/catalog.js';
import type { CurrencyEntry, FieldDescriptor } from '../../contract/catalog.js';
import { rejectField, type Rejection } from '../../contract/create.js';
import { type Direction, isMethod, type Method, METHOD_CODES, METHODS } from '../../contract/operation.js';

function textField(name: string, pattern: string, example: string): FieldDescriptor {
  return { name, required: true, type: 'string', pattern, example };
}

function choiceField(name: string, ...values: readonly string[]): FieldDescriptor {
  return { name, required: true, type: 'enum', enum: values };
}

const optionalField = (field: FieldDescriptor): FieldDescriptor => ({ ...field, required: false });

const name = optionalField(textField('name', '^\\S(.{0,98}\\S)?$', 'Ana Pérez'));

const email = optionalField(textField('email', '^[^@\\s]+@[^@\\s]+[.][^@\\s]+$', 'ana@example.com'));

type Country = ReturnType<typeof country>;

const METHOD_NAMES: Readonly<Record<Method, string>> = {
  debit_otp: 'Debit with a one-time code',
  direct_debit: 'Direct debit',
  incoming_mobile_payment: 'Incoming mobile payment',
  incoming_transfer: 'Incoming transfer',
  mobile_payment: 'Mobile payment',
  bank_transfer: 'Bank transfer',
};

type Offer = readonly [
  code: Method,
  min: string,
  max: string | null,
  fields: readonly FieldDescriptor[],
  others?: Partial<Pick<MethodEntry, 'name' | 'currency' | 'availability' | 'receiving_account'>>,
];

interface CountryDraft {
  readonly code: string;
  readonly name: string;
  readonly currencies: readonly [CurrencyEntry, ...CurrencyEntry[]];
  readonly offers: readonly Offer[];
  readonly banks: readonly Bank[];
}

function country({ code, name, currencies, offers, banks }: CountryDraft) {
  const methods = offers.map(([method, min, max, fields, others]): MethodEntry => ({
    ...{ code: method, name: METHOD_NAMES[method], country: code, currency: currencies[0].code },
    ...{ direction: METHODS[method].direction, availability: 'available' },
    ...{ min_amount: min, max_amount: max, fields, ...others },
  }));
  const entry: CountryEntry = {
    ...{ code, name, currencies },
    payin_methods: methods.filter(({ direction }) => direction === 'payin'),
    payout_methods: methods.filter(({ direction }) => direction === 'payout'),
  };
  return { entry, banks };
}

function venezuela() {
  const party = [
    choiceField('document.type', 'V', 'E', 'J', 'P'),
    textField('document.number', '^[0-9]{5,12}$', '12345678'),
    textField('bank_code', '^[0-9]{4}$', '0102'),
  ];
  const PHONE = '^04[0-9]{9}$';
  const phone = textField('phone', PHONE, '04121234567');
  const phoneAccount = textField('account_number', PHONE, '04121234567');
  const account = textField('account_number', '^[0-9]{20}$', '01020123456789012345');
  const anyAccount = textField('account_number', '^([0-9]{20}|04[0-9]{9})$', '01020123456789012345');
  const type = optionalField(choiceField('account_type', 'account', 'mobile'));
  const holder = { bank_code: '0134', document: 'J501234567', holder: 'SERVICIOS DE COBRO SANDBOX, C.A.' };
  const holderPhone = { ...holder, phone: '04141234567' };
  const holderAccount = { ...holder, account_number: '01340123456789012345' };
  return country({
    code: 'VE',
    name: 'Venezuela',
    currencies: [{ code: 'VES', decimals: 2 }],
    offers: [
      ['debit_otp', '1.00', '500000.00', [...party, phone, name, email]],
      ['direct_debit', '1.00', '1000000.00', [...party, anyAccount, type, name]],
      ['incoming_mobile_payment', '1.00', '500000.00', [...party, phone], { receiving_account: holderPhone }],
      ['incoming_transfer', '1.00', '10000000.00', party, { receiving_account: holderAccount }],
      ['mobile_payment', '1.00', '500000.00', [...party, phoneAccount, name]],
      ['bank_transfer', '1.00', '10000000.00', [...party, account, name]],
    ],
    banks: [
      { code: '0102', name: 'Banco de Venezuela', methods: METHOD_CODES },
      { code: '0105', name: 'Banco Mercantil', methods: METHOD_CODES },
      { code: '0108', name: 'BBVA Provincial', methods: METHOD_CODES },
      { code: '0114', name: 'Bancaribe', methods: METHOD_CODES },
      { code: '0134', name: 'Banesco', methods: METHOD_CODES },
      { code: '0172', name: 'Bancamiga', methods: METHOD_CODES },
      { code: '0191', name: 'Banco Nacional de Crédito', methods: METHOD_CODES },
      {
        code: '0175',
        name: 'Banco Digital de los Trabajadores',
        methods: ['incoming_mobile_payment', 'incoming_transfer', 'mobile_payment', 'bank_transfer'],
      },
      { code: '0146', name: 'Bangente', methods: ['incoming_transfer', 'bank_transfer'] },
    ],
  });
}

const TRANSFERS: readonly Method[] = ['incoming_transfer', 'bank_transfer'];
const DEBIT_AND_TRANSFERS: readonly Method[] = ['direct_debit', ...TRANSFERS];

function chile() {
  const party = [
    choiceField('document.type', 'RUT', 'PASSPORT'),
    textField('document.number', '^[0-9]{7,8}[0-9Kk]?$', '12345678K'),
    textField('bank_code', '^[0-9]{3}$', '012'),
  ];
  const account = textField('account_number', '^[0-9]{5,20}$', '00012345678');
  const PHONE = '^[+]569[0-9]{8}$';
  const phone = textField('phone', PHONE, '+56912345678');
  const phoneAccount = textField('account_number', PHONE, '+56912345678');
  const dollars = { name: 'Bank transfer in dollars', currency: 'USD' };
  const holderAccount = {
    ...{ bank_code: '037', document: '760123456', holder: 'Servicios de Cobro Sandbox SpA' },
    account_number: '00370000000012345678',
  };
  return country({
    code: 'CL',
    name: 'Chile',
    currencies: [
      { code: 'CLP', decimals: 0 },
      { code: 'USD', decimals: 2 },
    ],
    offers: [
      ['debit_otp', '100', '5000000', [...party, phone], { availability: 'temporarily_unavailable' }],
      ['direct_debit', '100', '5000000', [...party, account]],
      ['incoming_transfer', '100', '7000000', party, { receiving_account: holderAccount }],
      ['bank_transfer', '100', '7000000', [...party, account, name]],
      ['bank_transfer', '10.00', null, [...party, account, name], dollars],
      ['mobile_payment', '100', '500000', [...party, phoneAccount, name], { availability: 'disabled' }],
    ],
    banks: [
      { code: '001', name: 'Banco de Chile', methods: DEBIT_AND_TRANSFERS },
      { code: '012', name: 'BancoEstado', methods: DEBIT_AND_TRANSFERS },
      { code: '037', name: 'Banco Santander', methods: DEBIT_AND_TRANSFERS },
      { code: '053', name: 'Banco Ripley', methods: TRANSFERS },
    ],
  });
}

function kuwait() {
  const party = [
    choiceField('document.type', 'CIVIL_ID', 'PASSPORT'),
    textField('document.number', '^[0-9]{8,12}$', '290010112345'),
    textField('bank_code', '^[A-Z]{4}$', 'NBOK'),
  ];
  const IBAN = '^KW[0-9]{2}[A-Z]{4}[0-9A-Z]{22}$';
  const account = textField('account_number', IBAN, 'KW81CBKU0000000000001234560101');
  const holderAccount = {
    ...{ bank_code: 'NBOK', document: '290010112345', holder: 'SANDBOX COLLECTIONS W.L.L.' },
    account_number: '00001234567890123456',
  };
  return country({
    code: 'KW',
    name: 'Kuwait',
    currencies: [{ code: 'KWD', decimals: 3 }],
    offers: [
      ['direct_debit', '0.250', '1500.000', [...party, account, name]],
      ['incoming_transfer', '0.250', '3000.000', party, { receiving_account: holderAccount }],
      ['bank_transfer', '0.250', null, [...party, account, name]],
    ],
    banks: [
      { code: 'NBOK', name: 'National Bank of Kuwait', methods: DEBIT_AND_TRANSFERS },
      { code: 'CBKU', name: 'Commercial Bank of Kuwait', methods: DEBIT_AND_TRANSFERS },
      { code: 'GULB', name: 'Gulf Bank', methods: TRANSFERS },
    ],
  });
}

const COUNTRIES: readonly Country[] = [venezuela(), chile(), kuwait()];

export const CAPABILITIES: Capabilities = { config_version: 1, countries: COUNTRIES.map((one) => one.entry) };

export const DECIMALS: ReadonlyMap<string, number> = new Map(
  CAPABILITIES.countries.flatMap(({ currencies }) =>
    currencies.map(({ code, decimals }) => [code, decimals] as const),
  ),
);

export function methodsOf(filter: {
  readonly country?: string | undefined;
  readonly direction?: Direction | undefined;
}): readonly MethodEntry[] | Rejection {
  const countries = filter.country === undefined ? COUNTRIES : COUNTRIES.filter(hasCode(filter.country));
  if (countries.length === 0) return rejectField('country_unsupported', 'country');
  return countries
    .flatMap(({ entry }) => [...entry.payin_methods, ...entry.payout_methods])
    .filter(({ direction }) => filter.direction === undefined || direction === filter.direction);
}

export function banksOf(country: string, method?: string): readonly Bank[] | Rejection {
  const supportedCountry = COUNTRIES.find(hasCode(country));
  if (supportedCountry === undefined) return rejectField('country_unsupported', 'country');
  if (method === undefined) return supportedCountry.banks;
  const { payin_methods: payins, payout_methods: payouts } = supportedCountry.entry;
  const isOffered = [...payins, ...payouts].some(({ code }) => code === method);
  if (!isMethod(method) || !isOffered) return rejectField('method_unavailable', 'method');
  return supportedCountry.banks.filter(({ methods }) => methods.includes(method));
}

export function supportsBank(country: string, bankCode: string, method: string): boolean {
  const bank = COUNTRIES.find(hasCode(country))?.banks.find(({ code }) => code === bankCode);
  return bank?.methods.some((supported) => supported === method) ?? false;
}

function hasCode(country: string): (candidate: Country) => boolean {
  const code = country.toUpperCase();
  return ({ entry }) => entry.code === code;
}
