/** `svc banks`: the banks of a country and the methods each supports. */
import * as Flags from '@oclif/core/flags';
import { takes, SERVICE_FLAGS } from '../cli/line/flags.js';
import { keepAnsweredBanks } from '../cli/session/bank-cache.js';
import { callEndpoint, callRow, type EndpointInput } from '../cli/call/endpoint-call.js';
import { COUNTRY_FLAG, namingFlags } from '../cli/call/refused-flag.js';
import { SvcCommand } from '../cli/command.js';
import { requireCountry } from '../cli/line/country.js';
import type { Session } from '../cli/session/session.js';
import { Failure } from '../runtime/failure.js';

export default class Banks extends SvcCommand {
  static override readonly endpoint = 'banks';
  static override readonly summary = 'List the banks of a country, with their methods.';
  static override readonly examples = ['svc banks --country VE', 'svc banks --country VE --method debit_otp'];
  static override readonly needs = ['country'];
  static override readonly heeds = SERVICE_FLAGS;
  static override readonly args = {};
  static override readonly flags = {
    country: Flags.string({ summary: 'Country of the banks', ...takes('country') }),
    method: Flags.string({ summary: 'Only banks with this method', ...takes('method') }),
  };

  async run(): Promise<void> {
    const run = await this.line(Banks);
    await callEndpoint(
      run,
      ({ session }) => queryOf(run.flags, session),
      async (open, input) => {
        const conversation = await callRow(open, input);
        keepAnsweredBanks(open.ports.paths, conversation, input.query);
        return conversation;
      },
    ).catch(namingFlags(COUNTRY_FLAG));
  }
}

/** @throws Failure `usage` where no country is named */
function queryOf(
  flags: { readonly country?: string | undefined; readonly method?: string | undefined },
  { defaults }: Session,
): EndpointInput {
  const country = flags.country ?? defaults.country;
  if (country === undefined)
    throw new Failure('usage', 'Name the country with --country CC. Nothing was sent.');
  requireCountry(country);
  return { query: { country, method: flags.method } };
}
