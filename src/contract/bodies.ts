/** The request bodies as schemas (sections 2.2 to 2.4), by the name the table gives them. Loaded only when something is validated. */
import * as z from 'zod/mini';
import type { Detail } from './errors.js';
import type { BodyKind } from './endpoints.js';
import { LIMITS } from './limits.js';
import { METHOD_CODES } from './methods.js';
import { AMOUNT_PATTERN } from './money.js';
import { PURPOSES } from './operation.js';

const text = z.string();
const amount = z.string().check(z.regex(AMOUNT_PATTERN));
const country = z.string().check(z.regex(/^[A-Za-z]{2}$/));
const currency = z.string().check(z.regex(/^[A-Za-z]{3}$/));
const method = z.enum(METHOD_CODES);
const metadata = z.record(z.string(), z.unknown());
const document = z.strictObject({ type: z.optional(text), number: z.optional(text) });

const payer = z.strictObject({
  account_number: z.optional(text),
  account_type: z.optional(z.enum(['mobile', 'account'])),
  bank_code: z.optional(text),
  document: z.optional(document),
  email: z.optional(text),
  name: z.optional(text),
  phone: z.optional(text),
});

const beneficiary = z.strictObject({
  account_number: z.optional(text),
  bank_code: z.optional(text),
  document: z.optional(document),
  name: z.optional(text),
});

const mandate = z.strictObject({
  contract_date: z.optional(text),
  contract_id: z.optional(z.string().check(z.regex(/^[A-Za-z0-9]{1,30}$/))),
});

const common = {
  amount,
  country,
  currency,
  method,
  reference: z.optional(text),
  metadata: z.optional(metadata),
};

export const newPayin = z.strictObject({
  ...common,
  payer,
  expires_in_hours: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.windowMaxHours))),
  mandate: z.optional(mandate),
});
export type NewPayin = z.infer<typeof newPayin>;

export const newPayout = z.strictObject({ ...common, beneficiary, purpose: z.optional(z.enum(PURPOSES)) });
export type NewPayout = z.infer<typeof newPayout>;

export const confirmation = z.strictObject({ code: z.string() });
export type Confirmation = z.infer<typeof confirmation>;

export const webhookEndpoint = z.strictObject({ url: z.string() });

/** A schema for every body the table names. */
export const BODIES = {
  new_payin: newPayin,
  new_payout: newPayout,
  confirmation,
  webhook_endpoint: webhookEndpoint,
  none: z.union([z.null(), z.strictObject({})]),
} satisfies Record<BodyKind, z.ZodMiniType>;

/**
 * What is wrong with a body, one detail a field in the order of the schema; empty where nothing is.
 * An absent required field is `required`, an undeclared one `unknown`, everything else (null included) `invalid`.
 */
export function detailsOf(schema: z.ZodMiniType, body: unknown): Detail[] {
  const result = schema.safeParse(body);
  if (result.success) return [];
  const details = result.error.issues.flatMap((issue): Detail[] => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ field: [...path, key].join('.'), code: 'unknown' }));
    }
    const missing = valueAt(body, path) === undefined;
    return [{ field: path.join('.'), code: missing ? 'required' : 'invalid' }];
  });
  // One value can break several rules of its schema: a number too large for an integer, and for its bound.
  return [...new Map(details.map((detail) => [detail.field, detail])).values()];
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  let value = body;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
