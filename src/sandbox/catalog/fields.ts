/** The words in which the sandbox's catalog declares what `payer` and `beneficiary` must carry (field descriptors, section 2.5). */
import type { FieldDescriptor } from '../../contract/catalog.js';

/** A required text with its pattern and an example that satisfies it. */
export function text(name: string, pattern: string, example: string): FieldDescriptor {
  return { name, required: true, type: 'string', pattern, example };
}

/** A required choice. */
export function choice(name: string, ...values: readonly string[]): FieldDescriptor {
  return { name, required: true, type: 'enum', enum: values };
}

/** The same field where it may be left out. */
export function optional(field: FieldDescriptor): FieldDescriptor {
  return { ...field, required: false };
}

/** The counterparty's name, without space at its ends. */
export const name = optional(text('name', '^\\S(.{0,98}\\S)?$', 'Ana Pérez'));

export const email = optional(text('email', '^[^@\\s]+@[^@\\s]+[.][^@\\s]+$', 'ana@example.com'));
