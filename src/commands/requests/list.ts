/** `svc requests list`: creates whose outcome is not known. */
import { SvcCommand } from '../../cli/command.js';
import { listRequests } from './requests.js';

export default class RequestsList extends SvcCommand {
  static override readonly summary = 'List the requests without an answer: their outcome is unknown.';
  static override readonly examples = [
    'svc requests list',
    "svc requests list --jq '.requests[].idempotency_key'",
  ];
  static override readonly args = {};
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(RequestsList);
    await listRequests(run);
  }
}
