/** `svc events tail`: follows the feed and hands over every event, in order, at least once. */
import * as Flags from '@oclif/core/flags';
import { grouped } from '../../cli/line/flags.js';
import { SvcCommand } from '../../cli/command.js';
import { execSink } from './exec-sink.js';
import { feedExitCodes, feedFlags } from './feed-flags.js';
import { followFeed } from './feed.js';
import { withWholeFlag } from '../../cli/feed/short-id.js';
import { withLog } from '../../cli/printing/log.js';
import { intoFlags, intoOf } from './into-flags.js';
import { intoJob } from './into.js';
import { printSink } from '../../cli/feed/print-sink.js';

export default class EventsTail extends SvcCommand {
  static override readonly summary = 'Follow the events in order; each arrives at least once.';
  static override readonly examples = [
    'svc events tail --no-follow',
    'svc events tail --checkpoint orders --exec ./handle-event',
    'svc events tail --into sqlite:events.db --create --no-follow',
  ];
  static override readonly ownExitCodes = [...feedExitCodes, 5, 141];
  static override readonly args = {};
  static override readonly flags = {
    ...grouped('WHERE THEY GO', {
      exec: Flags.string({ summary: 'Run CMD with each event; exit 0 accepts it', helpValue: 'CMD' }),
      ...intoFlags,
    }),
    ...feedFlags,
  };

  async run(): Promise<void> {
    const run = withLog(await withWholeFlag(await this.line(EventsTail), 'id'));
    const { flags, ports } = run;
    const { exec } = flags;
    const into = intoOf(run);
    if (into !== null) return followFeed(run, (session) => intoJob({ ...run, session }, into));
    const print = exec === undefined ? await printSink(ports, flags) : null;
    // To start a program takes longer than to make its success durable.
    const pace = exec === undefined ? {} : { eventsMax: 1 };
    await followFeed(run, (_session, onAttempt) => ({
      sink: print ?? execSink(ports, exec ?? '', onAttempt),
      ...pace,
    }));
  }
}
