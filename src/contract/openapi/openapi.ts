import { ENVIRONMENT_PATH, KEY_PREFIX } from '../access.js';
import { endpoint, ENDPOINT_IDS } from '../endpoints.js';
import type { Endpoint, EndpointId, Noun, QueryName, ResultKind } from '../endpoints.js';
import { ERRORS, type ErrorCode } from '../errors.js';
import { DELIVERY_HEADERS, EVENT_TYPES, type EventType } from '../events.js';
import { DELIVERY_WAIT_VARIATION, DELIVERY_WAITS_SECONDS, LIMITS } from '../limits.js';
import { COUNTRY_CODE } from '../notation.js';
import { COMPONENTS, type ComponentName } from './components.js';
import { ANSWER_EXAMPLES, BODY_EXAMPLES, eventExample, ID_EXAMPLE, QUERY_EXAMPLES } from './examples.js';
import { type JsonSchema, unspecified, ref } from './json-schema.js';
import { direction } from './words.js';

const CONTRACT_VERSION = '2.8.0';

const NOT_SPECIFIED = [
  'the transitions of direct_debit',
  'how an exhausted delivery is asked for again',
  'rate limits',
  'the greatest size of a body',
  'how the contract is deprecated, and what stays compatible',
];

const RESULT_COMPONENTS: Readonly<Record<ResultKind, ComponentName>> = {
  capabilities: 'Capacidades',
  methods: 'ListaDeMetodos',
  banks: 'ListaDeBancos',
  balances: 'ListaDeSaldos',
  operation: 'Operacion',
  events: 'ListaDeEventos',
  webhook_endpoint: 'WebhookRegistrado',
};

const BODY_COMPONENTS: Readonly<Record<NonNullable<Endpoint['body']>, ComponentName | null>> = {
  new_payin: 'NuevoPayIn',
  new_payout: 'NuevoPayOut',
  confirmation: 'Confirmacion',
  webhook_endpoint: 'NuevoWebhook',
  none: null,
};

const TAG_DESCRIPTIONS: Readonly<Record<Noun | 'deliveries', string>> = {
  capabilities: 'Countries, currencies and methods',
  methods: 'Payment methods',
  banks: 'Banks of a country',
  balances: 'Balances of the company',
  payins: 'Collect money from a person',
  payouts: 'Send money to a person',
  transactions: 'An operation of either type',
  events: 'What happened, in order',
  webhooks: 'Where events are delivered',
  deliveries: 'What a receiver is sent',
};

const QUERY_SCHEMAS: Readonly<Record<QueryName, JsonSchema>> = {
  country: { type: 'string', pattern: COUNTRY_CODE.source },
  direction,
  method: ref('CodigoDeMetodo'),
  cursor: { type: 'string', description: 'The next_cursor of the answer before; from the start without it' },
  limit: { type: 'integer', ...unspecified('its bounds and its default') },
};

export function resultNameOf(id: EndpointId): ComponentName {
  return RESULT_COMPONENTS[endpoint(id).result];
}

export function bodyNameOf(id: EndpointId): ComponentName | null {
  const { body } = endpoint(id);
  return body === null ? null : BODY_COMPONENTS[body];
}

export function openApi(): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Collections and Payouts Service',
      version: CONTRACT_VERSION,
      description: `Amounts are decimal strings with a point. Live keys begin with ${KEY_PREFIX.live}, sandbox keys with ${KEY_PREFIX.sandbox}.`,
      'x-not-specified': NOT_SPECIFIED,
    },
    'x-limits': {
      code_resends: LIMITS.codeResends,
      attempts_per_code: LIMITS.attemptsPerCode,
      window_default_hours: LIMITS.windowDefaultHours,
      window_max_hours: LIMITS.windowMaxHours,
      receiver_answer_seconds: LIMITS.receiverAnswerMs / 1000,
      timestamp_tolerance_seconds: LIMITS.timestampToleranceSeconds,
      previous_secret_hours: LIMITS.previousSecretHours,
      delivery_waits_seconds: DELIVERY_WAITS_SECONDS,
      delivery_wait_variation: DELIVERY_WAIT_VARIATION,
    },
    servers: [
      serverOf('Live', ENVIRONMENT_PATH.live),
      serverOf('Sandbox: no money moves', ENVIRONMENT_PATH.sandbox),
    ],
    security: [{ key: [] }],
    tags: Object.entries(TAG_DESCRIPTIONS).map(([name, description]) => ({ name, description })),
    paths: paths(),
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: deliveryOf(type) }])),
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } }, schemas: COMPONENTS },
  };
}

function serverOf(description: string, path: string): JsonSchema {
  const variables = { base_url: { default: 'https://service.invalid' } };
  return { url: `{base_url}${path}`, description, variables };
}

function paths(): JsonSchema {
  const items = new Map<string, Record<string, JsonSchema>>();
  for (const id of ENDPOINT_IDS) {
    const { path, method } = endpoint(id);
    const item = items.get(path) ?? {};
    item[method.toLowerCase()] = operationOf(id);
    items.set(path, item);
  }
  return Object.fromEntries(items);
}

function operationOf(id: EndpointId): JsonSchema {
  const endpointRow = endpoint(id);
  const name = bodyNameOf(id);
  const bodyExample =
    endpointRow.body === null || endpointRow.body === 'none' ? null : BODY_EXAMPLES[endpointRow.body];
  const answerText = endpointRow.result === 'operation' ? 'The operation as it stands' : 'The answer';
  const description =
    endpointRow.retry === 'keyed' ? 'Created. The status says what happened, not this code' : answerText;
  return {
    operationId: id,
    summary: endpointRow.summary,
    tags: [id.split('.')[0] ?? id],
    'x-scope': endpointRow.scope,
    'x-retry': endpointRow.retry,
    'x-idempotency-key': endpointRow.retry === 'keyed' ? 'required' : 'none',
    'x-look-up': endpointRow.lookup,
    parameters: parametersOf(id),
    ...(bodyExample !== null &&
      name !== null && { requestBody: { required: true, content: jsonContent(ref(name), bodyExample) } }),
    responses: {
      [endpointRow.success]: {
        ...{ description, content: jsonContent(ref(resultNameOf(id)), ANSWER_EXAMPLES[id]) },
        ...(endpointRow.retry === 'keyed' && { links: linksOf(id) }),
      },
      ...errorsOf(endpointRow),
    },
  };
}

function jsonContent(schema: JsonSchema, example?: JsonSchema): JsonSchema {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

function linksOf(create: EndpointId): JsonSchema {
  const followers = ENDPOINT_IDS.filter((id) =>
    endpoint(id).path.startsWith(`${endpoint(create).path}/{id}`),
  );
  const parameters = { id: '$response.body#/id' };
  return Object.fromEntries(followers.map((operationId) => [operationId, { operationId, parameters }]));
}

function parametersOf(id: EndpointId): JsonSchema[] {
  const { path, query, requires = [], retry } = endpoint(id);
  const schema = { type: 'string', format: 'uuid' };
  const pathParameters = path.includes('{id}')
    ? [{ name: 'id', in: 'path', required: true, schema, example: ID_EXAMPLE }]
    : [];
  const queryParameters = query.map((name) => ({
    ...{ name, in: 'query', required: requires.includes(name), schema: QUERY_SCHEMAS[name] },
    ...(requires.includes(name) && { example: QUERY_EXAMPLES[name] }),
  }));
  const keyParameter = {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: 'The same key with the same body answers with the same operation',
    schema: {
      type: 'string',
      minLength: LIMITS.idempotencyKeyMinCharacters,
      maxLength: LIMITS.idempotencyKeyMaxCharacters,
    },
    example: `${id.replace('.', '-')}-1001`,
  };
  return [...pathParameters, ...queryParameters, ...(retry === 'keyed' ? [keyParameter] : [])];
}

function errorsOf({ errors, scope, body }: Endpoint): JsonSchema {
  const codes: readonly ErrorCode[] = [
    'unauthorized',
    ...(scope === null ? [] : (['scope_missing'] as const)),
    ...(body === 'none' ? (['body_invalid', 'field_invalid'] as const) : []),
    ...errors,
  ];
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((a, b) => a - b);
  const errorAnswers = statuses.map((status) => {
    const statusCodes = codes.filter((code) => ERRORS[code].status === status);
    const meaning = statusCodes.map((code) => `${code}: ${ERRORS[code].meaning}`).join('; ');
    return [status, { description: meaning, 'x-codes': statusCodes, content: jsonContent(ref('Error')) }];
  });
  return {
    ...(Object.fromEntries(errorAnswers) as JsonSchema),
    default: {
      description: 'Any other error, such as route_not_found or method_not_allowed',
      content: jsonContent(ref('Error')),
      ...unspecified('the statuses of route_not_found and method_not_allowed'),
    },
  };
}

function deliveryOf(type: EventType): JsonSchema {
  const header = (name: string, schema: JsonSchema, description: string, example: string): JsonSchema => ({
    ...{ name, in: 'header', required: true, description, schema, example },
  });
  return {
    operationId: `deliveries.${type}`,
    summary: `A delivery of ${type}`,
    tags: ['deliveries'],
    security: [],
    parameters: [
      header(
        DELIVERY_HEADERS.signature,
        { type: 'string', pattern: '^v1=[0-9a-f]{64}( v1=[0-9a-f]{64})*$' },
        'HMAC-SHA256 of the timestamp, a point and the bytes of the body; one for each valid secret',
        `v1=${'0123456789abcdef'.repeat(4)}`,
      ),
      header(
        DELIVERY_HEADERS.timestamp,
        { type: 'string', pattern: '^[0-9]+$' },
        'Unix seconds at signing',
        '1790000000',
      ),
      header(DELIVERY_HEADERS.type, { const: type }, 'The type of the event; not signed', type),
      header(DELIVERY_HEADERS.id, { type: 'string' }, 'The id of the event; not signed', ID_EXAMPLE),
    ],
    requestBody: {
      required: true,
      content: jsonContent(
        { allOf: [ref('Evento'), { properties: { type: { const: type } } }] },
        eventExample(type),
      ),
    },
    responses: {
      '2XX': { description: `Accepted, within ${String(LIMITS.receiverAnswerMs / 1000)} seconds` },
      default: { description: 'Not accepted: the delivery comes again later' },
    },
  };
}
