export const DEFAULT_CODE = '123456';

/** After a refused create, `forget` frees the idempotency key. `remember` keeps it for the same body. */
export const KEYS_OF_REFUSED = ['forget', 'remember'] as const;
export type KeysOfRefused = (typeof KEYS_OF_REFUSED)[number];
