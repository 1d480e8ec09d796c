/** Advice: an unknown member is an error. */
import { pay, payoutBody, requirePaid } from './lib.mjs';

const known = new Set(
  `id type country currency method amount status pending_reason bank_reference confirmed_at failure reference
  metadata purpose concept created_by created_at updated_at`.split(/\s+/),
);
const operation = await pay(payoutBody('invoice-1'), 'invoice-1-key');
for (const member of Object.keys(operation)) if (!known.has(member)) throw new Error(`unknown: ${member}`);
requirePaid(operation);
