/** `svc sandbox key`: makes a key of the sandbox, with any scopes, for any company. */
import * as Flags from '@oclif/core/flags';
import type { RunOf } from '../../cli/command.js';
import { defaultStore } from '../../cli/session/embedded.js';
import { renderNote } from '../../output/error-prose.js';
import { callControl, controlExitCodes, namedSandbox, type ControlRequest } from './control-call.js';
import { SCOPES } from '../../contract/access.js';
import { ControlCommand } from './control-command.js';

export default class SandboxKey extends ControlCommand {
  static override readonly summary = 'Make an API key of the sandbox, and its company if it is new.';
  static override readonly examples = [
    'svc sandbox key --company acme --scope operaciones:leer',
    'svc sandbox key --environment live --jq .api_key',
  ];
  static override readonly ownExitCodes = controlExitCodes;
  static override readonly args = {};
  static override readonly flags = {
    company: Flags.string({ summary: 'The company [default: default]', helpValue: 'NAME' }),
    scope: Flags.string({
      summary: 'Scope of the key; repeatable [default: all]',
      options: [...SCOPES],
      multiple: true,
      multipleNonGreedy: true,
    }),
    environment: Flags.string({
      summary: 'live is for rehearsals [default: sandbox]',
      options: ['sandbox', 'live'],
    }),
    operator: Flags.boolean({ summary: 'Its operations are created_by an operator' }),
  };

  async run(): Promise<void> {
    const run = await this.line(SandboxKey);
    const { ports, flags } = run;
    await callControl(run, requestOf(run), {
      after: async () => {
        if (flags.quiet || namedSandbox(ports, flags) !== null) return;
        const text =
          `This key belongs to the sandbox in ${defaultStore(ports)}. ` +
          'For a key of another server, add its address: --base-url http://127.0.0.1:PORT';
        await ports.errors.write(renderNote(text, ports.errors));
      },
    });
  }
}

/** @throws Failure `usage` */
function requestOf({ flags }: RunOf<typeof SandboxKey>): ControlRequest {
  const { company, scope: scopes, environment, operator } = flags;
  const createdBy = operator ? 'operator' : undefined;
  return { method: 'POST', path: '/keys', body: { company, scopes, environment, created_by: createdBy } };
}
