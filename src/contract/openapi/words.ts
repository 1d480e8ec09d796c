import { ENVIRONMENTS } from '../access.js';
import { AMOUNT_PATTERN } from '../money.js';
import { DIRECTIONS } from '../operation.js';
import type { JsonSchema } from './json-schema.js';

export const text = { type: 'string' } as const;
export const textOrNull = { type: ['string', 'null'] } as const;
export const flag = { type: 'boolean' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const countOrNull = { type: ['integer', 'null'], minimum: 0 } as const;
export const moment = { type: 'string', format: 'date-time' } as const;
export const momentOrNull = { type: ['string', 'null'], format: 'date-time' } as const;
export const amount = { type: 'string', pattern: AMOUNT_PATTERN.source } as const;
export const amountOrNull = { type: ['string', 'null'], pattern: AMOUNT_PATTERN.source } as const;
export const environment = oneOf(ENVIRONMENTS);
export const direction = oneOf(DIRECTIONS);

export function oneOf(words: readonly string[]): JsonSchema {
  return { type: 'string', enum: [...words] };
}

export function oneOfOrNull(words: readonly string[]): JsonSchema {
  return { type: ['string', 'null'], enum: [...words, null] };
}

export function recordOf(value: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: value };
}

export function describe(description: string, schema: JsonSchema): JsonSchema {
  return { ...schema, description };
}
