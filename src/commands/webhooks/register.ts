/** `svc webhooks register`: registers the url that receives the company's events, and keeps its signing secret. */
import * as Flags from '@oclif/core/flags';
import type { Conversation } from '../../client/client.js';
import type { Parsed } from '../../cli/command.js';
import { EndpointCommand, type EndpointLine, type Input } from '../../cli/call/endpoint-command.js';
import { keepSecretOf } from './secret-keeping.js';
import type { Session } from '../../cli/session/session.js';
import type { Environment } from '../../contract/access.js';
import { Failure } from '../../runtime/failure.js';

export default class WebhooksRegister extends EndpointCommand {
  static override readonly endpoint = 'webhooks.register';
  static override readonly summary =
    'Register the url that receives the events; its secret is stored, and shown once.';
  static override readonly examples = [
    'svc webhooks register --url https://shop.example/hooks',
    'svc webhooks register --url https://shop.example/hooks --jq .secret',
  ];
  static override readonly args = {};
  static override readonly flags = {
    url: Flags.string({ summary: 'The url, https.', helpValue: 'URL', required: true }),
  };

  protected override input({ flags }: Parsed<typeof WebhooksRegister>, { environment }: Session): Input {
    requireReceiver(flags.url, environment);
    return { body: Buffer.from(JSON.stringify({ url: flags.url })) };
  }

  protected override call(line: EndpointLine, session: Session, input: Input): Promise<Conversation> {
    const register = (): Promise<Conversation> => super.call(line, session, input);
    return keepSecretOf(register, session, this.ports, this.house.typed);
  }
}

/** A sandbox may take http on this machine, and decides that itself. @throws Failure `usage` */
function requireReceiver(url: string, environment: Environment): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  const isLoopback = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback && environment === 'sandbox')) return;
  throw new Failure('usage', '--url must be a whole address that begins with https://. Nothing was sent.');
}
