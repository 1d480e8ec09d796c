/** `svc webhooks register`: registers the url that receives the company's events. */
import * as Flags from '@oclif/core/flags';
import type { Parsed } from '../../command/base.js';
import { EndpointCommand, type Input } from '../../command/endpoint-command.js';

export default class WebhooksRegister extends EndpointCommand {
  static override readonly endpoint = 'webhooks.register';
  static override readonly summary = 'Register the url that receives the events; the secret is shown once.';
  static override readonly examples = [
    'svc webhooks register --url https://shop.example/hooks',
    'svc webhooks register --url https://shop.example/hooks --jq .secret',
  ];
  static override readonly args = {};
  static override readonly flags = {
    url: Flags.string({ summary: 'The url, https.', helpValue: 'URL', required: true }),
  };

  protected override input({ flags }: Parsed<typeof WebhooksRegister>): Input {
    return { body: Buffer.from(JSON.stringify({ url: flags.url })) };
  }
}
