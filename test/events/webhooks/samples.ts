import { createHmac } from 'node:crypto';
import type { Delivery } from '../../../src/events/webhooks/delivery.js';
import type { Rules } from '../../../src/events/webhooks/verification.js';

export const VECTOR = {
  secret: 'whsec_test_0123456789',
  timestamp: 1_790_000_000,
  body:
    '{"id":"0c9d1b2e-7f3a-4b8c-9d0e-1f2a3b4c5d6e","type":"payout.confirmed","occurred_at":"2026-09-23T15:04:05Z",' +
    '"data":{"id":"6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f","type":"payout","country":"VE","currency":"VES",' +
    '"method":"mobile_payment","amount":"1500.50","status":"confirmed","bank_reference":"000123456789","failure":null,' +
    '"created_at":"2026-09-23T14:59:05Z","updated_at":"2026-09-23T15:04:05Z"}}',
  signature: 'v1=f62b5544c9b42eb7d94c053ab1d6bda34febf84da6a205dc2df998a7d87d0382',
} as const;

export const SECRET: string = VECTOR.secret;
export const STAMP = String(VECTOR.timestamp);
export const BODY = Buffer.from(VECTOR.body);
export const RULES: Rules = { secrets: [SECRET], nowMs: VECTOR.timestamp * 1000 };

export const SAMPLE_IDS = {
  ...{ eventId: 'e1', operationId: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', nowIso: '2026-09-23T15:00:00Z' },
};

/** Computed here, and not by the code under test. */
export function hex(secret: string | Buffer, ...parts: readonly (string | Uint8Array)[]): string {
  return createHmac('sha256', secret)
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest('hex');
}

export function firma(body: Uint8Array | string, stamp = STAMP, secret = SECRET): string {
  return `v1=${hex(secret, stamp, '.', body)}`;
}

export function delivery(
  body: Uint8Array | string,
  signature: string | readonly string[] = firma(body),
  timestamp: string | readonly string[] = STAMP,
  ...others: readonly (readonly [string, string])[]
): Delivery {
  const pairs = (name: string, values: string | readonly string[]): [string, string][] =>
    [values].flat().map((value) => [name, value]);
  return {
    body: Buffer.from(body),
    headers: [...pairs('X-Firma', signature), ...pairs('X-Timestamp', timestamp), ...others],
  };
}
