/** The flags of a list of the sandbox that comes in pages: newest first, or oldest first behind an id. */
import * as Flags from '@oclif/core/flags';
import { Failure } from '../../runtime/failure.js';

export const pageFlags = {
  limit: Flags.string({ summary: 'How many, 1 to 200 [default: 50]', helpValue: 'N' }),
  after: Flags.string({ summary: 'Only after this one, oldest first', helpValue: 'ID' }),
  before: Flags.string({ summary: 'Only before this one, newest first', helpValue: 'ID' }),
};

export interface PageFlags {
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** The query of a page; what is undefined is left out. @throws Failure `usage` */
export function pageQuery(
  { limit, after, before }: PageFlags,
  others: Readonly<Record<string, string | undefined>>,
): string {
  if (after !== undefined && before !== undefined)
    throw new Failure('usage', 'Give --after or --before, not both. Nothing was sent.');
  const newest = after === undefined && before === undefined ? 'newest' : undefined;
  const all = Object.entries({ limit, after, before, order: newest, ...others });
  const asked = all.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(asked).toString();
}
