/** The flags of a create: what its body may hold, and how it is sent. */
import * as Flags from '@oclif/core/flags';
import { bodyFlags } from './body-flags.js';
import { dataFlags, newPaymentFlag, waitFlags } from './flags.js';

/** What both kinds of create take. */
export const createFlags = {
  ...bodyFlags('both'),
  ...dataFlags,
  'idempotency-key': Flags.string({
    summary: 'The key of this request, 8 to 128 characters [default: 32 random hex characters].',
    helpValue: 'KEY',
  }),
  'new-payment': newPaymentFlag,
  interactive: Flags.boolean({
    char: 'i',
    summary: 'Ask for everything at the terminal, up to the outcome.',
  }),
  'dry-run': Flags.boolean({ summary: 'Validate, print the request as JSON, send nothing.' }),
  ...waitFlags,
};

/** What only a pay-in takes. */
export const payinFlags = { ...createFlags, ...bodyFlags('payin') };

/** What only a payout takes. */
export const payoutFlags = { ...createFlags, ...bodyFlags('payout') };
