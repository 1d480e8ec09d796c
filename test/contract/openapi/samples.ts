import type { ComponentName } from '../../../src/contract/openapi/components.js';
import { ANSWERS, FAILED_PAYOUT, PAYIN } from '../../output/samples.js';

const { balances, banks, capabilities, methods } = ANSWERS;
const events = ANSWERS['events.list'];
const [method] = methods.methods;
const webhook = ANSWERS['webhooks.register'];
const mandate = { contract_id: 'A1', contract_date: '2026-01-31' };
const body = { amount: '1500.50', country: 'VE', currency: 'VES', reference: 'r', metadata: {} };

export const SAMPLES: Readonly<Record<ComponentName, unknown>> = {
  Operacion: PAYIN,
  Fallo: FAILED_PAYOUT.failure,
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
  Evento: events.events[0],
  Metodo: method,
  DescriptorDeCampo: method.fields[1],
  CuentaReceptora: method.receiving_account,
  Banco: banks.banks[0],
  Saldo: balances.balances[0],
  Capacidades: capabilities,
  ListaDeMetodos: methods,
  ListaDeBancos: banks,
  ListaDeSaldos: balances,
  ListaDeEventos: events,
  WebhookRegistrado: webhook,
};
