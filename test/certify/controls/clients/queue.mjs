/** Right: a payment with an unknown outcome goes back to the end of the queue with its key. */
import { call, payoutBody, pause, requirePaid, settled, Unknown } from './lib.mjs';

const queue = ['a', 'b', 'c'].map((name) => ({
  text: JSON.stringify(payoutBody(`queued-${name}`)),
  key: `queued-${name}-key`,
  tries: 0,
}));
for (let job = queue.shift(); job !== undefined; job = queue.shift())
  try {
    const { id } = await call('POST', '/v2/payouts', job);
    requirePaid(await settled(`/v2/payouts/${id}`));
  } catch (error) {
    job.tries += 1;
    if (!(error instanceof Unknown) || job.tries === 5) throw error;
    await pause(Math.max(error.waitMs, 30));
    queue.push(job);
  }
