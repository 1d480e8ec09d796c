/** One value of each schema. */
import type { ComponentName } from '../../src/schema/components.js';
import { FAILED_PAYOUT, PAYIN } from '../output/samples.js';

const failure = FAILED_PAYOUT.failure;
const field = {
  name: 'document.number',
  required: true,
  type: 'string',
  pattern: '^[0-9]{6,9}$',
  example: '1',
};
const account = { bank_code: '0102', document: 'J12345678', holder: 'Company', phone: '04121234567' };
const method = {
  ...{
    availability: 'available',
    code: 'mobile_payment',
    country: 'VE',
    currency: 'VES',
    direction: 'payout',
  },
  ...{
    fields: [field],
    min_amount: '1.00',
    max_amount: null,
    name: 'Mobile payment',
    receiving_account: account,
  },
};
const bank = { code: '0102', name: 'Bank', methods: ['mobile_payment'] };
const balance = { currency: 'VES', available: '-10.00', reserved: '0.00' };
const event = {
  ...{
    id: '9c1d1b2e-7f3a-4b8c-9d0e-1f2a3b4c5d6e',
    type: 'payin.failed',
    occurred_at: '2026-09-23T15:04:05Z',
  },
  data: PAYIN,
};
const mandate = { contract_id: 'A1', contract_date: '2026-01-31' };
const body = { amount: '1500.50', country: 'VE', currency: 'VES', reference: 'r', metadata: {} };

export const SAMPLES: Readonly<Record<ComponentName, unknown>> = {
  Operacion: PAYIN,
  Fallo: failure,
  NuevoPayIn: {
    ...body,
    ...{ method: 'direct_debit', payer: { name: 'A', document: { type: 'V', number: '1' } }, mandate },
    expires_in_hours: 72,
  },
  NuevoPayOut: {
    ...body,
    ...{
      method: 'bank_transfer',
      beneficiary: { account_number: '1', bank_code: '0102' },
      purpose: 'payroll',
    },
  },
  Pagador: { account_type: 'mobile', phone: '04121234567', document: { type: 'V', number: '1' } },
  Beneficiario: { account_number: '1', bank_code: '0102', document: { type: 'V', number: '1' }, name: 'A' },
  Mandato: mandate,
  Proposito: 'remittance',
  Confirmacion: { code: '123456' },
  NuevoWebhook: { url: 'https://shop.example/hooks' },
  CodigoDeMetodo: 'debit_otp',
  TipoDeEvento: 'test.ping',
  CodigoDeError: 'not_found',
  CodigoDeDetalle: 'unknown',
  Error: {
    error: { code: 'field_invalid', message: 'No.', details: [{ field: 'payer.phone', code: 'invalid' }] },
  },
  Evento: event,
  Metodo: method,
  DescriptorDeCampo: field,
  CuentaReceptora: account,
  Banco: bank,
  Saldo: balance,
  Capacidades: {
    config_version: 3,
    countries: [
      {
        ...{ code: 'VE', name: 'Venezuela', currencies: [{ code: 'VES', decimals: 2 }] },
        ...{ payin_methods: [], payout_methods: [method] },
      },
    ],
  },
  ListaDeMetodos: { methods: [method] },
  ListaDeBancos: { banks: [bank] },
  ListaDeSaldos: { balances: [balance] },
  ListaDeEventos: { events: [event], next_cursor: null },
  WebhookRegistrado: { secret: 'whsec_1', id: '1', url: 'https://shop.example/hooks' },
};
