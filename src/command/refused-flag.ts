import type { EndpointId } from '../contract/endpoints.js';
import { Failure } from '../runtime/failure.js';

export type FlagsOfFields = Readonly<Record<string, readonly [flag: string, takes: string]>>;

export const cursorFlag = (list: EndpointId): FlagsOfFields => ({
  cursor: [
    '--cursor',
    `give next_cursor of a page, for example --cursor "$(svc ${list.replace('.', ' ')} --jq .next_cursor)"`,
  ],
});
export const FROM_FLAG: FlagsOfFields = {
  cursor: ['--from', 'use start, now or next_cursor of a page, for example --from start'],
};
export const COUNTRY_FLAG: FlagsOfFields = {
  country: ['--country', '"svc capabilities" lists the countries, for example --country VE'],
};

export const throwWithFlags =
  (flags: FlagsOfFields) =>
  (error: unknown): never => {
    const details = error instanceof Failure ? (error.facts.details ?? []) : [];
    const isFlagRefused = details.some(({ field }) => Object.hasOwn(flags, field));
    if (!(error instanceof Failure) || !isFlagRefused) throw error;
    const items = details.map(({ field, code }) => {
      const [flag, takes] = flags[field] ?? [];
      return flag === undefined ? `${field}: ${code}` : `${flag} is not valid: ${String(takes)}`;
    });
    throw new Failure(error.kind, error.head, { ...error.facts, items });
  };
