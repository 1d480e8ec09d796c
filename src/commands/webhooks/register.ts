/** `svc webhooks register`: registers the url that receives the company's events, and keeps its signing secret. */
import * as Flags from '@oclif/core/flags';
import { callEndpoint, callRow, type EndpointInput } from '../../cli/call/endpoint-call.js';
import { SvcCommand } from '../../cli/command.js';
import { keepSecretOf } from './secret-keeping.js';
import type { SessionRun } from '../../cli/session/session.js';
import type { Environment } from '../../contract/access.js';
import { Failure } from '../../runtime/failure.js';

export default class WebhooksRegister extends SvcCommand {
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

  async run(): Promise<void> {
    const run = await this.line(WebhooksRegister);
    const { url } = run.flags;
    const fill = ({ session }: SessionRun): EndpointInput => {
      requireReceiver(url, session.environment);
      return { body: Buffer.from(JSON.stringify({ url })) };
    };
    await callEndpoint(run, fill, (open, input) => keepSecretOf(() => callRow(open, input), open));
  }
}

/** A sandbox may take http on this machine, and decides that itself. @throws Failure `usage` */
function requireReceiver(url: string, environment: Environment): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  const isLoopback = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback && environment === 'sandbox')) return;
  throw new Failure('usage', '--url must be a whole address that begins with https://. Nothing was sent.');
}
