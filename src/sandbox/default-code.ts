/** What a sandbox is started with: the default code that confirms a pay-in, and the words for what becomes of keys. */
export const DEFAULT_CODE = '123456';

/** The key of a create that was refused with a 4xx is free again, or stays used with that body. */
export const KEYS_OF_REFUSED = ['forget', 'remember'] as const;
export type KeysOfRefused = (typeof KEYS_OF_REFUSED)[number];
