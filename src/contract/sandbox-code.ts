export const DEFAULT_CODE = '123456';

/** After a refused create the sandbox forgets the idempotency key, or remembers it and refuses it with another body. */
export const KEYS_OF_REFUSED = ['forget', 'remember'] as const;
export type KeysOfRefused = (typeof KEYS_OF_REFUSED)[number];
