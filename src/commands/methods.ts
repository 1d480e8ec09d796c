/** `svc methods`: the payment methods of a country or a direction. */
import * as Flags from '@oclif/core/flags';
import { takes, SERVICE_FLAGS } from '../cli/line/flags.js';
import { COUNTRY_FLAG, namingFlags } from '../cli/call/refused-flag.js';
import { callEndpoint } from '../cli/call/endpoint-call.js';
import { SvcCommand } from '../cli/command.js';
import { requireCountry } from '../cli/line/country.js';
import { DIRECTIONS } from '../contract/operation.js';

export default class Methods extends SvcCommand {
  static override readonly endpoint = 'methods';
  static override readonly summary = 'List the payment methods, with fields and limits.';
  static override readonly examples = ['svc methods --country VE', 'svc methods --direction payout -o csv'];
  static override readonly heeds = SERVICE_FLAGS;
  static override readonly args = {};
  static override readonly flags = {
    country: Flags.string({ summary: 'Only this country', ...takes('country') }),
    direction: Flags.string({ summary: 'Only this direction', options: [...DIRECTIONS] }),
  };

  async run(): Promise<void> {
    const run = await this.line(Methods);
    const { country, direction } = run.flags;
    if (country !== undefined) requireCountry(country);
    await callEndpoint(run, () => ({ query: { country, direction } })).catch(namingFlags(COUNTRY_FLAG));
  }
}
