export const DEFAULT_CODE = '123456';

/** After a create was refused (4xx), its idempotency key is free again (`forget`), or good only for the same body (`remember`). */
export const KEYS_OF_REFUSED = ['forget', 'remember'] as const;
export type KeysOfRefused = (typeof KEYS_OF_REFUSED)[number];
