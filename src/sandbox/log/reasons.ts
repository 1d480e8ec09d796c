/** Why a request was refused, as a sentence for the log. */
import { refusalMeaning, type HttpRefusal } from '../message.js';

/** The meaning of the code, and what is wrong with each field, where the place that refused said no more. */
export function reasonOf({ refusal, details = [] }: Pick<HttpRefusal, 'refusal' | 'details'>): string {
  const fields = details.map(({ field, code }) => `${field} is ${WORDS[code]}`);
  return fields.length === 0
    ? refusalMeaning(refusal)
    : `${refusalMeaning(refusal).slice(0, -1)}: ${fields.join(', ')}.`;
}

const WORDS = { required: 'missing', invalid: 'not valid', unknown: 'not a known field here' } as const;
