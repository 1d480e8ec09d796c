/** Requires only the members of the catalog (contract section 2.5) that checking a create needs. */
import * as z from 'zod/mini';
import type { Capabilities } from './catalog.js';
import { parseJson } from './json.js';

const text = z.string();
const optionalText = z.optional(z.nullable(text));

const field = z.looseObject({
  name: text,
  required: z.boolean(),
  type: text,
  enum: z.optional(z.nullable(z.array(text))),
  example: optionalText,
  pattern: optionalText,
});

const method = z.looseObject({
  code: text,
  country: text,
  currency: text,
  availability: text,
  fields: z.array(field),
  min_amount: text,
  max_amount: optionalText,
});

const capabilities = z.looseObject({
  countries: z.array(
    z.looseObject({
      code: text,
      currencies: z.array(z.looseObject({ code: text, decimals: z.int() })),
      payin_methods: z.array(method),
      payout_methods: z.array(method),
    }),
  ),
});

export function readCapabilities(body: Uint8Array): Capabilities | null {
  try {
    const result = capabilities.safeParse(parseJson(body));
    return result.success ? (dropNulls(result.data) as Capabilities) : null;
  } catch {
    return null;
  }
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  const copy = Object.fromEntries(members.map(([name, member]) => [name, dropNulls(member)]));
  return 'min_amount' in copy ? { max_amount: null, ...copy } : copy;
}
