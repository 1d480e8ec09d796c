import * as Flags from '@oclif/core/flags';
import type { EndpointInput } from './call.js';
import { COUNTRY_FLAG, throwWithFlags } from './refused-flag.js';
import { command } from './command.js';
import { SERVICE_FLAGS, takes } from './line/flags.js';
import { COUNTRY_CODE } from '../contract/notation.js';
import { DIRECTIONS } from '../contract/operation.js';
import { Failure, usageFailure } from '../runtime/failure.js';

const loadCalls = () => import('./call.js');

export const PLAIN_READS = {
  balances: command({
    endpoint: 'balances',
    summary: 'Show the balance in each currency.',
    examples: ['svc balances', 'svc balances -o csv'],
    heeds: SERVICE_FLAGS,
    run: async (run) => (await loadCalls()).callEndpoint(run, () => ({})),
  }),

  banks: command({
    endpoint: 'banks',
    summary: 'List the banks of a country, with their methods.',
    examples: ['svc banks --country VE', 'svc banks --country VE --method debit_otp'],
    needs: ['country'],
    heeds: SERVICE_FLAGS,
    flags: {
      country: Flags.string({ summary: 'Country of the banks', ...takes('country') }),
      method: Flags.string({ summary: 'Only banks with this method', ...takes('method') }),
    },
    async run(run) {
      const { keepAnsweredBanks } = await import('../session/catalog.js');
      const { callEndpoint, sendCall } = await loadCalls();
      const { country: typedCountry, method } = run.flags;
      await callEndpoint(
        run,
        ({ session }): EndpointInput => {
          const country = typedCountry ?? session.defaults.country;
          if (country === undefined) throw usageFailure('Name the country with --country CC.');
          requireCountry(country);
          return { query: { country, method } };
        },
        async (sessionRun, input) => {
          const conversation = await sendCall(sessionRun, input);
          keepAnsweredBanks(sessionRun.ports.paths, conversation, input.query);
          return conversation;
        },
      ).catch(throwWithFlags(COUNTRY_FLAG));
    },
  }),

  capabilities: command({
    endpoint: 'capabilities',
    summary: 'Show countries, currencies and methods, with fields and limits.',
    examples: ['svc capabilities', "svc capabilities --jq '.countries[].code'"],
    heeds: SERVICE_FLAGS,
    run: async (run) => (await loadCalls()).callEndpoint(run, () => ({})),
  }),

  methods: command({
    endpoint: 'methods',
    summary: 'List the payment methods, with fields and limits.',
    examples: ['svc methods --country VE', 'svc methods --direction payout -o csv'],
    heeds: SERVICE_FLAGS,
    flags: {
      country: Flags.string({ summary: 'Only this country', ...takes('country') }),
      direction: Flags.string({ summary: 'Only this direction', options: [...DIRECTIONS] }),
    },
    async run(run) {
      const { country, direction } = run.flags;
      if (country !== undefined) requireCountry(country);
      const { callEndpoint } = await loadCalls();
      await callEndpoint(run, () => ({ query: { country, direction } })).catch(throwWithFlags(COUNTRY_FLAG));
    },
  }),
};

function requireCountry(text: string): void {
  if (COUNTRY_CODE.test(text)) return;
  throw new Failure('usage', '--country must be two letters, for example --country VE. Nothing was sent.', {
    code: 'field_invalid',
    details: [{ field: 'country', code: 'invalid' }],
  });
}
