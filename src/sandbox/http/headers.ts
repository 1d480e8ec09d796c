/** Finds headers among the pairs as received: names in any case, duplicates kept. */
import type { SandboxRequest } from '../message.js';

/** Every value of a header; `name` in lower case. */
export function headerValues({ headers }: Pick<SandboxRequest, 'headers'>, name: string): string[] {
  const values: string[] = [];
  for (const [key, value] of headers) {
    if (key.length === name.length && key.toLowerCase() === name) values.push(value);
  }
  return values;
}
