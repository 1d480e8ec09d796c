/** Right: the client repeats nothing, and reports an unknown outcome. */
import { call, payoutBody, requirePaid, Unknown } from './lib.mjs';

try {
  requirePaid(
    await call('POST', '/v2/payouts', {
      text: JSON.stringify(payoutBody('invoice-1')),
      key: 'invoice-1-key',
    }),
  );
} catch (error) {
  console.error(`not known: ${error.message}`);
  process.exit(error instanceof Unknown ? 75 : 1);
}
