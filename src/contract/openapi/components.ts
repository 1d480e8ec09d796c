/** The schemas of requests and answers (contract sections 2, 6 and 7). */
import { BODY_FIELDS, newPayin, newPayout, webhookEndpoint } from '../body-fields.js';
import { ERROR_CODES } from '../errors.js';
import { EVENT_TYPES } from '../events.js';
import { FAILURE_CODES, FAILURES } from '../failures.js';
import { LIMITS } from '../limits.js';
import { METHOD_CODES } from '../operation.js';
import { type JsonSchema, arrayOf, members, unspecified, ref, schemaOf } from './json-schema.js';
import { amount, amountOrNull, direction, moment, oneOf, text, textOrNull } from './words.js';

const method = ref('CodigoDeMetodo');

/** Chains the conditions by `else`, because code generators turn an `allOf` into `unknown`. */
function conditionsOn(
  name: string,
  cases: readonly (readonly [value: string, then: JsonSchema])[],
): JsonSchema {
  return cases.reduceRight<JsonSchema>(
    (others, [value, then]) => ({
      if: { properties: { [name]: { const: value } }, required: [name], unevaluatedProperties: true },
      then: { ...then, unevaluatedProperties: true },
      ...(Object.keys(others).length > 0 && { else: others }),
    }),
    {},
  );
}

const operation: JsonSchema = {
  ...members(
    {
      id: { type: 'string', format: 'uuid' },
      type: direction,
      country: { ...text, description: 'ISO 3166-1 alpha-2' },
      currency: { ...text, description: 'ISO 4217' },
      method,
      amount,
      status: oneOf(['pending', 'confirmed', 'failed']),
      pending_reason: {
        type: ['string', 'null'],
        enum: ['awaiting_code', 'awaiting_payment', 'processing', null],
        description: 'Null unless the operation is pending',
      },
      code_expires_at: {
        ...moment,
        description: 'debit_otp while a code is awaited: until when it is valid',
      },
      expires_at: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'Incoming pay-ins: the end of the payment window; null once cancelled',
      },
      bank_reference: { ...textOrNull, description: 'Set once confirmed' },
      confirmed_at: { ...moment, description: 'On confirmed operations' },
      failure: { anyOf: [ref('Fallo'), { type: 'null' }], description: 'On failed operations' },
      reference: { ...text, description: 'As it was sent' },
      metadata: { type: 'object', additionalProperties: true, description: 'As it was sent' },
      purpose: ref('Proposito'),
      concept: { ...text, description: 'What the counterparty sees at their bank; set by the service' },
      created_by: { ...text, ...unspecified('which values there are') },
      created_at: moment,
      updated_at: moment,
    },
    [
      ...['id', 'type', 'country', 'currency', 'method', 'amount', 'status', 'pending_reason', 'concept'],
      ...['created_by', 'created_at', 'updated_at'],
    ],
  ),
  ...conditionsOn('status', [
    [
      'confirmed',
      {
        properties: { pending_reason: { type: 'null' }, bank_reference: text, confirmed_at: moment },
        required: ['confirmed_at', 'bank_reference'],
      },
    ],
    [
      'failed',
      { properties: { pending_reason: { type: 'null' }, failure: ref('Fallo') }, required: ['failure'] },
    ],
  ]),
};

const failure: JsonSchema = {
  ...members({ code: oneOf(FAILURE_CODES), reason: text, message: text }, ['code', 'reason', 'message']),
  ...conditionsOn(
    'code',
    FAILURE_CODES.map((code) => [code, { properties: { reason: { enum: [...FAILURES[code].reasons] } } }]),
  ),
};

const descriptor = members(
  {
    name: { ...text, description: 'A path inside payer or beneficiary, with points' },
    required: { type: 'boolean' },
    type: oneOf(['string', 'enum', 'date']),
    enum: arrayOf(text),
    example: text,
    pattern: text,
  },
  ['name', 'required', 'type'],
);

const methodEntry = members(
  {
    availability: oneOf(['available', 'temporarily_unavailable', 'disabled']),
    code: method,
    country: text,
    currency: text,
    direction,
    fields: arrayOf(ref('DescriptorDeCampo')),
    min_amount: amount,
    max_amount: { ...amountOrNull, description: 'Null: no cap' },
    name: text,
    receiving_account: { anyOf: [ref('CuentaReceptora'), { type: 'null' }] },
  },
  ['availability', 'code', 'country', 'currency', 'direction', 'fields', 'min_amount', 'max_amount', 'name'],
);

const account = members(
  { bank_code: text, document: text, holder: text, account_number: text, phone: text },
  ['bank_code', 'document', 'holder'],
);

const capabilities: JsonSchema = {
  ...members(
    {
      config_version: unspecified('its type'),
      countries: arrayOf(
        members({
          code: text,
          name: text,
          currencies: arrayOf(members({ code: text, decimals: { type: 'integer', minimum: 0 } })),
          payin_methods: arrayOf(ref('Metodo')),
          payout_methods: arrayOf(ref('Metodo')),
        }),
      ),
    },
    ['config_version'],
  ),
  ...unspecified('its members beside config_version; these are known from published clients'),
};

const PUBLISHED_LISTS = ['methods', 'banks', 'balances', 'events'];

const listAnswer = (name: string, element: string, otherProperties: JsonSchema = {}): JsonSchema => ({
  ...members({ [name]: arrayOf(ref(element)), ...otherProperties }, [name, ...Object.keys(otherProperties)]),
  ...unspecified(
    `the member that holds the list${PUBLISHED_LISTS.includes(name) ? '; this one is known from published clients' : ''}`,
  ),
});

const MEMBER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  method,
  payer: ref('Pagador'),
  beneficiary: ref('Beneficiario'),
  mandate: { ...ref('Mandato'), description: 'direct_debit only' },
  purpose: { ...ref('Proposito'), description: 'remittance unless given' },
  metadata: { type: 'object', additionalProperties: true, 'x-max-bytes': LIMITS.metadataMaxBytes },
  expires_in_hours: {
    ...{ type: 'integer', minimum: 1, maximum: LIMITS.windowMaxHours },
    description: `Incoming methods only; the window is ${String(LIMITS.windowDefaultHours)} hours unless given`,
    ...unspecified('its least value; svc takes 1'),
  },
};

function bodySchema(shape: Parameters<typeof schemaOf>[0]): JsonSchema {
  const bodyShapeSchema = schemaOf(shape);
  const properties = Object.entries(bodyShapeSchema['properties'] as Readonly<Record<string, JsonSchema>>);
  const entries = properties.map(([name, schema]) => [name, MEMBER_SCHEMAS[name] ?? schema]);
  return {
    ...bodyShapeSchema,
    properties: Object.fromEntries(entries) as JsonSchema,
    ...unspecified('whether other members are refused; the sandbox of svc refuses them'),
  };
}

function fieldSchema(name: 'payer' | 'beneficiary' | 'mandate' | 'purpose'): JsonSchema {
  const { shape } = BODY_FIELDS[name];
  return schemaOf('optional' in shape ? shape.optional : shape);
}

const error = members(
  {
    error: members(
      {
        code: ref('CodigoDeError'),
        message: { ...text, description: 'For display only' },
        details: {
          ...arrayOf(members({ field: text, code: ref('CodigoDeDetalle') }, ['field', 'code'])),
          description: 'One for each offending field of a validation error',
        },
      },
      ['code', 'message'],
    ),
  },
  ['error'],
);

const event = members(
  {
    id: { ...text, ...unspecified('its format') },
    type: ref('TipoDeEvento'),
    occurred_at: { ...text, ...unspecified('its format') },
    data: ref('Operacion'),
  },
  ['id', 'type', 'occurred_at', 'data'],
);

export const COMPONENTS = {
  Operacion: operation,
  Fallo: failure,
  NuevoPayIn: bodySchema(newPayin),
  NuevoPayOut: bodySchema(newPayout),
  Pagador: fieldSchema('payer'),
  Beneficiario: fieldSchema('beneficiary'),
  Mandato: fieldSchema('mandate'),
  Proposito: fieldSchema('purpose'),
  Confirmacion: {
    type: 'object',
    required: ['code'],
    properties: { code: { ...text, description: 'The one-time code; never stored' } },
    ...unspecified('whether other members are refused'),
  },
  NuevoWebhook: {
    ...schemaOf(webhookEndpoint),
    properties: { url: { type: 'string', format: 'uri', pattern: '^https://' } },
  },
  CodigoDeMetodo: oneOf(METHOD_CODES),
  TipoDeEvento: oneOf(EVENT_TYPES),
  CodigoDeError: oneOf(ERROR_CODES),
  CodigoDeDetalle: oneOf(['required', 'invalid', 'unknown']),
  Error: error,
  Evento: event,
  Metodo: methodEntry,
  DescriptorDeCampo: descriptor,
  CuentaReceptora: account,
  Banco: members({ code: text, name: text, methods: arrayOf(method) }, ['code', 'name', 'methods']),
  Saldo: members({ currency: text, available: text, reserved: text }, ['currency', 'available', 'reserved']),
  Capacidades: capabilities,
  ListaDeMetodos: listAnswer('methods', 'Metodo'),
  ListaDeBancos: listAnswer('banks', 'Banco'),
  ListaDeSaldos: listAnswer('balances', 'Saldo'),
  ListaDeEventos: listAnswer('events', 'Evento', {
    next_cursor: { ...textOrNull, ...unspecified('when it is null') },
  }),
  WebhookRegistrado: {
    ...members({ secret: { ...text, description: 'The signing secret, answered once' } }, ['secret']),
    additionalProperties: true,
    ...unspecified('its other members'),
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

export type ComponentName = keyof typeof COMPONENTS;
