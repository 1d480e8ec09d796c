import { bytesOf, type FeedEvent, type Page } from '../feed/walk.js';
import type { Sink } from '../feed/follow.js';
import { type Ports, untilStopped } from '../runtime/ports.js';
import type { GlobalFlags } from '../command/command.js';
import { printerFor } from '../command/printer.js';
import { readerFor } from '../command/line/terminal.js';

const GRACE_MS = 500;

export type EventWriter = (page: Pick<Page, 'body'>, events: readonly FeedEvent[]) => Promise<void>;

export async function eventWriter(ports: Ports, flags: GlobalFlags): Promise<EventWriter> {
  const { output, env } = ports;
  const asksFormat = flags.json || flags.output !== undefined || flags.jq !== undefined;
  if (!output.isTTY || asksFormat || (env['SVC_OUTPUT'] ?? '').endsWith('json')) {
    const printer = await printerFor(ports, flags, 'events.list', 'stream');
    const { renderElements } = await import('../output/ndjson.js');
    return ({ body }, events) => printer.lines(renderElements(body, events));
  }
  const { renderEventLine } = await import('../output/event-line.js');
  const reader = await readerFor(ports, flags, null);
  return (page, events) =>
    output.write(events.map((event) => renderEventLine(bytesOf(page, event), reader)).join(''));
}

export async function printSink(ports: Ports, flags: GlobalFlags): Promise<Sink> {
  const write = await eventWriter(ports, flags);
  return async (page, events, accept) => {
    ports.signal.throwIfAborted();
    await untilStopped(write(page, events), ports.signal, { clock: ports.clock, ms: GRACE_MS });
    await accept(events);
  };
}
