/** `svc sandbox operations`: shows operations with what each waits for, or plays the bank, or time, for one of them. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { RunOf } from '../../cli/command.js';
import { Failure } from '../../runtime/failure.js';
import { callControl, controlExitCodes, type ControlRequest } from './control-call.js';
import { failureOf } from './failure-flag.js';
import { wholeSandboxId } from './short-id.js';
import { pageFlags, pageQuery } from './page-flags.js';
import { ControlCommand } from './control-command.js';

export default class SandboxOperations extends ControlCommand {
  static override readonly summary = 'List the operations of the sandbox, newest first, or decide one.';
  static override readonly description =
    'With ID, svc shows that operation, or decides it with --settle or --expire.';
  static override readonly examples = [
    'svc sandbox operations --waits',
    'svc sandbox operations $ID --settle failed --failure limit_exceeded/daily_limit',
    'svc sandbox operations $ID --expire',
  ];
  static override readonly ownExitCodes = [...controlExitCodes, 5];
  static override readonly args = {
    id: Args.string({ description: 'Id of one operation, or the start of one', ignoreStdin: true }),
  };
  static override readonly flags = {
    ...pageFlags,
    status: Flags.string({ summary: 'Only this status', options: ['pending', 'confirmed', 'failed'] }),
    search: Flags.string({ summary: 'Part of an id or a reference', helpValue: 'TEXT' }),
    waits: Flags.boolean({ summary: 'Only those that wait for a code, a payment or the bank' }),
    settle: Flags.string({ summary: 'The answer of the bank', options: ['confirmed', 'failed'] }),
    failure: Flags.string({ summary: 'With --settle failed: the reason', helpValue: 'CODE/REASON' }),
    expire: Flags.boolean({ summary: 'End its window, or its code, now' }),
  };

  async run(): Promise<void> {
    const run = await this.line(SandboxOperations);
    const { id } = run.args;
    // What is wrong with the flags is said before anything is asked.
    const request = requestOf(run, id);
    await callControl(
      run,
      id === undefined
        ? request
        : requestOf(run, await wholeSandboxId(run, 'operation', { name: 'ID', text: id })),
    );
  }
}

/** @throws Failure `usage` */
function requestOf({ flags }: RunOf<typeof SandboxOperations>, id: string | undefined): ControlRequest {
  const { settle, failure, expire, status, search, waits } = flags;
  if (id === undefined) {
    if (settle !== undefined || expire) throw usage('--settle and --expire need the ID of an operation.');
    const query = pageQuery(flags, { status, search, waits: waits ? 'true' : undefined });
    return { method: 'GET', path: `/operations?${query}`, list: 'operations' };
  }
  const path = `/operations/${id}`;
  if (settle !== undefined && expire) throw usage('Give --settle or --expire, not both.');
  if (failure !== undefined && settle !== 'failed') throw usage('--failure needs --settle failed.');
  if (settle === 'failed' && failure === undefined)
    throw usage('Add the reason, for example --failure rejected/other.');
  if (expire) return { method: 'POST', path: `${path}/expire`, body: {} };
  if (settle === undefined) return { method: 'GET', path };
  const body = { status: settle, failure: failure === undefined ? undefined : failureOf(failure) };
  return { method: 'POST', path: `${path}/settle`, body };
}

function usage(text: string): Failure {
  return new Failure('usage', `${text} Nothing was sent.`);
}
