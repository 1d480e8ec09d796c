/** `svc sandbox requests`: shows what arrived at the sandbox and why it was refused; follows it; or shows one with both sides. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { RunOf } from '../../cli/command.js';
import { Failure } from '../../runtime/failure.js';
import { callControl, controlExitCodes, type ControlRequest } from './control-call.js';
import { pageFlags, pageQuery } from './page-flags.js';
import { followRequests } from './request-follow.js';
import { ControlCommand } from './control-command.js';

export default class SandboxRequests extends ControlCommand {
  static override readonly summary = 'Show the latest requests to the sandbox, and why one was refused.';
  static override readonly description =
    'svc keeps the last 1,000; keys and codes are masked. Without a server it keeps only those that changed something.';
  static override readonly examples = [
    'svc sandbox requests --status 4xx',
    'svc sandbox requests --follow',
    'svc sandbox requests 12 --jq .request.body',
  ];
  static override readonly ownExitCodes = [...controlExitCodes, 5, 141];
  static override readonly args = {
    id: Args.string({ description: 'Number of one request: show both its sides', ignoreStdin: true }),
  };
  static override readonly flags = {
    ...pageFlags,
    follow: Flags.boolean({ summary: 'Print each new request, until you stop it' }),
    status: Flags.string({
      summary: '404, 4xx, or cut (ended by a fault)',
      helpValue: 'STATUS',
    }),
    'http-method': Flags.string({ summary: 'GET or POST', helpValue: 'METHOD' }),
    path: Flags.string({ summary: 'Part of the path', helpValue: 'TEXT' }),
  };

  async run(): Promise<void> {
    const run = await this.line(SandboxRequests);
    const request = requestOf(run);
    if (run.flags.follow) await followRequests(run, { ...run.flags, method: run.flags['http-method'] });
    else await callControl(run, request).catch(asNone(run.args.id));
  }
}

/** @throws Failure `usage` */
function requestOf({ args: { id }, flags }: RunOf<typeof SandboxRequests>): ControlRequest {
  const { status, 'http-method': method, path, follow } = flags;
  if (status !== undefined && !/^(?:cut|[1-5](?:xx|[0-9]{2}))$/.test(status))
    throw new Failure(
      'usage',
      `--status cannot be ${JSON.stringify(status)}: use a status such as 404, 4xx, or cut. Nothing was sent.`,
    );
  if (id === undefined) {
    const query = pageQuery(flags, { status, method, path });
    return { method: 'GET', path: `/requests?${query}`, list: 'requests' };
  }
  if (!/^[1-9][0-9]{0,14}$/.test(id) || follow)
    throw new Failure(
      'usage',
      'ID must be the number of one request, and cannot go with --follow. Nothing was sent.',
    );
  return { method: 'GET', path: `/requests/${id}` };
}

/** The sandbox speaks of an operation where there is none: it was asked for a request. */
const asNone = (id: string | undefined) => (error: unknown) => {
  if (id === undefined || !(error instanceof Failure) || error.kind !== 'not_found') throw error;
  const text = `The sandbox keeps no request ${id}. See "svc sandbox requests".`;
  throw new Failure('not_found', text, error.facts);
};
