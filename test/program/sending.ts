export const SENDING: readonly string[] = [
  ...['api', 'batches retry', 'payins batch', 'payins cancel', 'payins confirm', 'payins create'],
  ...['payins resend', 'payouts batch', 'payouts cancel', 'payouts create'],
  ...['requests repeat', 'webhooks register'],
];
