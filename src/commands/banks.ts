/** `svc banks`: the banks of a country and the methods each supports. */
import * as Flags from '@oclif/core/flags';
import { takes } from '../cli/line/takes.js';
import type { Conversation } from '../client/client.js';
import { keepAnsweredBanks } from '../cli/session/bank-cache.js';
import type { Parsed } from '../cli/command.js';
import { EndpointCommand, type EndpointLine, type Input } from '../cli/call/endpoint-command.js';
import type { Session } from '../cli/session/session.js';
import { Failure } from '../runtime/failure.js';

export default class Banks extends EndpointCommand {
  static override readonly endpoint = 'banks';
  static override readonly summary = 'List the banks of a country and the methods each supports.';
  static override readonly examples = ['svc banks --country VE', 'svc banks --country VE --method debit_otp'];
  static override readonly args = {};
  static override readonly flags = {
    country: Flags.string({ summary: 'The country.', ...takes('country') }),
    method: Flags.string({ summary: 'Only banks that support this method.', ...takes('method') }),
  };

  protected override async call(
    line: Parsed<typeof Banks> & EndpointLine,
    session: Session,
    input: Input,
  ): Promise<Conversation> {
    const conversation = await super.call(line, session, input);
    keepAnsweredBanks(this.ports.paths, conversation, input.query);
    return conversation;
  }

  protected override input({ flags }: Parsed<typeof Banks>, { defaults }: Session): Input {
    const country = flags.country ?? defaults.country;
    if (country === undefined)
      throw new Failure('usage', 'Name the country with --country CC. Nothing was sent.');
    return { query: { country, method: flags.method } };
  }
}
