/** The limits that the service publishes (contract section 8), and svc's own limits where the service publishes none. */
export const LIMITS = {
  idempotencyKeyMinCharacters: 8,
  idempotencyKeyMaxCharacters: 128,
  metadataMaxBytes: 4096,
  windowDefaultHours: 48,
  windowMaxHours: 72,
  codeResends: 5,
  attemptsPerCode: 1,
  contractIdMaxCharacters: 30,
  receiverAnswerMs: 10_000,
  timestampToleranceSeconds: 300,
  previousSecretHours: 24,
  eventsPageMin: 1,
  eventsPageMax: 200,
} as const;

/** svc never repeats a request with an idempotency key after this time, because the service may have forgotten the key. */
export const KEY_SAFE_MS = 23 * 3_600_000;

/** The service stamps operations and answers by two clocks, which may differ by this much. */
export const SERVICE_CLOCKS_MS = 10 * 60_000;

export const DELIVERY_WAITS_SECONDS = [30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800] as const;
export const DELIVERY_WAIT_VARIATION = 0.1;

export const VALID_FOR_DEFAULT = '72h';
