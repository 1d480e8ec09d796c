/** `svc webhooks register`: registers the url that receives the company's events, and keeps its signing secret. */
import * as Flags from '@oclif/core/flags';
import { callEndpoint, callRow, type EndpointInput } from '../../cli/call/endpoint-call.js';
import { SERVICE_FLAGS } from '../../cli/line/flags.js';
import { SvcCommand } from '../../cli/command.js';
import { keepSecretOf } from './secret-keeping.js';
import type { SessionRun } from '../../cli/session/session.js';
import type { Environment } from '../../contract/access.js';
import { Failure } from '../../runtime/failure.js';

export default class WebhooksRegister extends SvcCommand {
  static override readonly endpoint = 'webhooks.register';
  static override readonly summary =
    'Register the URL that receives the events; its secret is stored, and shown once.';
  static override readonly examples = [
    'svc webhooks register --url https://shop.example/hooks',
    'svc webhooks register --url https://shop.example/hooks --jq .secret',
  ];
  static override readonly heeds = SERVICE_FLAGS;
  static override readonly args = {};
  static override readonly flags = {
    url: Flags.string({ summary: 'https URL of the receiver', helpValue: 'URL', required: true }),
  };

  async run(): Promise<void> {
    const run = await this.line(WebhooksRegister);
    const { url } = run.flags;
    const sandbox = { isHere: false };
    const fill = ({ session }: SessionRun): EndpointInput => {
      requireReceiver(url, session.environment);
      sandbox.isHere = session.target.kind === 'embedded' || isLoopback(session.serviceUrl);
      return { body: Buffer.from(JSON.stringify({ url })) };
    };
    try {
      await callEndpoint(run, fill, (open, input) => keepSecretOf(() => callRow(open, input), open));
    } catch (error) {
      throw sandbox.isHere && isLoopback(url) ? withFlag(error) : error;
    }
  }
}

const START = 'svc sandbox start --allow-http-webhooks';

/** A sandbox of this machine refused an address of this machine: a flag of its server allows http there. */
function withFlag(error: unknown): unknown {
  if (!(error instanceof Failure) || error.facts.details?.some(({ field }) => field === 'url') !== true)
    return error;
  const advice = [`For http:// on this machine, start the sandbox with a flag: ${START}`];
  return new Failure(error.kind, error.head, { ...error.facts, advice, nextCommand: START, cause: error });
}

function isLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/.test(hostname);
}

/** A sandbox may take http on this machine, and decides that itself. @throws Failure `usage` */
function requireReceiver(url: string, environment: Environment): void {
  const isHttps = URL.canParse(url) && new URL(url).protocol === 'https:';
  if (isHttps || (URL.canParse(url) && isLoopback(url) && environment === 'sandbox')) return;
  throw new Failure('usage', '--url must be a full URL that begins with https://. Nothing was sent.');
}
