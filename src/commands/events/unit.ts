/** `svc events unit`: a unit of systemd that runs `events forward` or `events tail` as a service. */
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { SvcCommand } from '../../cli/command.js';
import { readUnit, splitWords } from './unit-order.js';

export default class EventsUnit extends SvcCommand {
  static override readonly summary = 'Print a systemd unit that runs events forward or events tail.';
  static override readonly description =
    'Flags after "--" are those of the service. Its checkpoint is NAME, unless --checkpoint is given. Its key is a systemd credential. The first lines of the unit say what to type.';
  static override readonly examples = [
    'svc events unit forward hooks -- --base-url https://api.example.com --to http://localhost:3000/hooks --health 9180',
    'svc events unit tail orders -- --base-url https://api.example.com --exec /usr/local/bin/handle-event',
  ];
  static override readonly heeds = [] as const;
  static override readonly args = {
    what: Args.string({
      description: 'forward or tail',
      options: ['forward', 'tail'],
      required: true,
      ignoreStdin: true,
    }),
    name: Args.string({
      description: 'Name of the service: the unit is svc-NAME',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override readonly flags = {
    program: Flags.string({
      summary: 'Path of svc on that machine [default: /usr/bin/svc]',
      helpValue: 'PATH',
    }),
  };

  async run(): Promise<void> {
    const { own, words } = splitWords(this.argv);
    this.argv = own;
    const run = await this.line(EventsUnit);
    const { what, name } = run.args;
    const order = await readUnit(run, { what, name, program: run.flags.program ?? '/usr/bin/svc', words });
    const { unitText } = await import('../../events/service/unit.js');
    await this.ports.output.write(unitText(order));
  }
}
