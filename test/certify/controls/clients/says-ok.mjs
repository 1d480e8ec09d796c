/** Wrong: an unknown or refused create is only a warning, and the client ends with 0. */
import { call, payoutBody } from './lib.mjs';

try {
  const text = JSON.stringify(payoutBody('invoice-1'));
  const { status } = await call('POST', '/v2/payouts', { text, key: 'invoice-1-key' });
  if (status === 'failed') process.exit(1);
} catch (error) {
  console.error(`warning: ${error.message}`);
}
