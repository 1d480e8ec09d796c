export const ERRORS = {
  unauthorized: { status: 401, meaning: 'the Authorization header is missing or the key is invalid' },
  scope_missing: { status: 403, meaning: 'the key lacks the scope' },
  body_invalid: { status: 400, meaning: 'the body cannot be read' },
  field_required: { status: 400, meaning: 'required fields are missing' },
  field_invalid: { status: 400, meaning: 'fields have an invalid value' },
  method_unavailable: { status: 400, meaning: 'the method is unavailable for that country and currency' },
  bank_unsupported: { status: 400, meaning: 'the bank does not support the method' },
  amount_out_of_range: { status: 400, meaning: 'the amount is outside the allowed range' },
  currency_unsupported: { status: 400, meaning: 'the currency is unavailable' },
  country_unsupported: { status: 400, meaning: 'the country is unavailable' },
  idempotency_key_required: { status: 400, meaning: 'the Idempotency-Key header is missing' },
  idempotency_key_reused: { status: 409, meaning: 'the key was already used with another request' },
  not_found: { status: 404, meaning: 'no operation with that id in the company' },
  not_cancellable: { status: 409, meaning: 'the operation can no longer be cancelled' },
  code_not_expected: { status: 409, meaning: 'the operation is not awaiting a code' },
  too_many_codes: { status: 409, meaning: 'too many codes were requested for the operation' },
  temporarily_unavailable: { status: 503, meaning: 'cannot be processed now; try later' },
  route_not_found: { status: 404, meaning: 'the route does not exist' },
  method_not_allowed: { status: 405, meaning: 'the HTTP method is not allowed on the route' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

export interface Detail {
  readonly field: string;
  readonly code: 'required' | 'invalid' | 'unknown';
}

export interface ErrorEnvelope {
  readonly error: { readonly code: string; readonly message: string; readonly details?: readonly Detail[] };
}

export function readEnvelope(body: unknown): ErrorEnvelope['error'] | null {
  if (typeof body !== 'object' || body === null) return null;
  const error: unknown = (body as { error?: unknown }).error;
  if (typeof error !== 'object' || error === null) return null;
  const { code, message, details } = error as { code?: unknown; message?: unknown; details?: unknown };
  if (typeof code !== 'string' || code === '') return null;
  return {
    code,
    message: typeof message === 'string' ? message : '',
    ...(Array.isArray(details) ? { details: details.filter(isDetail) } : {}),
  };
}

function isDetail(value: unknown): value is Detail {
  if (typeof value !== 'object' || value === null) return false;
  const { field, code } = value as { field?: unknown; code?: unknown };
  return typeof field === 'string' && typeof code === 'string';
}
