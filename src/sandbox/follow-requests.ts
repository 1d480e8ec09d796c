import type { Texts } from '../command/line/flags.js';
import type { GlobalFlags, Run } from '../command/command.js';
import { styleForOutput } from '../command/line/terminal.js';
import { openPrinter } from '../command/printer.js';
import { renderNdjson } from '../output/ndjson.js';
import { type Ports, withEndText } from '../runtime/ports.js';
import type { LogRow } from './log/logged.js';
import { queryOf, withControl } from './call-control.js';
import { requestLine } from './request-line.js';
import type { ServiceConnection } from '../session/connection.js';

interface Page {
  readonly body: Uint8Array;
  readonly requests: readonly LogRow[];
}

export async function followRequests(run: Run, { after, status }: Texts<'after' | 'status'>): Promise<void> {
  const write = await writerOf(run.ports, run.flags);
  await withControl(run, async (send, connection) => {
    const ask = async (query: Texts<string>): Promise<Page> => {
      const body = await send({ method: 'GET', path: `/requests?${queryOf(query)}` });
      const { requests } = JSON.parse(Buffer.from(body).toString('utf8')) as Pick<Page, 'requests'>;
      return { body, requests };
    };
    let lastId = after ?? String((await ask({ order: 'newest', limit: '1' })).requests[0]?.id ?? 0);
    const changes = changesAt(connection, run.ports);
    try {
      for (;;) {
        const page = await ask({ after: lastId, limit: '200', status });
        const newestRequest = page.requests.at(-1);
        if (newestRequest !== undefined) await write(page);
        else await changes.next();
        lastId = newestRequest === undefined ? lastId : String(newestRequest.id);
      }
    } finally {
      changes.close();
    }
  }).catch((error: unknown) => {
    throw withEndText(error, 'The sandbox is still running. It keeps its last thousand requests.');
  });
}

async function writerOf(ports: Ports, flags: GlobalFlags): Promise<(page: Page) => Promise<void>> {
  const { output, zone } = ports;
  if (!output.isTTY || flags.json || flags.output !== undefined || flags.jq !== undefined) {
    const printer = await openPrinter(ports, flags, { shape: 'stream', table: () => Promise.resolve('') });
    return ({ body }) => printer.lines(renderNdjson(body, 'requests'));
  }
  const style = await styleForOutput(ports, flags);
  return ({ requests }) => {
    const lines = requests.map(({ method, path: target, status, ms: tookMs, wall_at: at, id, refused }) => {
      const line = requestLine({ method, target, status, tookMs }, { nowMs: Date.parse(at), zone, style });
      return `${line}  ${id}${refused === null ? '' : `  ${style.faint(refused)}`}\n`;
    });
    return output.write(lines.join(''));
  };
}

const PAUSE_MS = 250;

function changesAt(
  { transport, origin }: Pick<ServiceConnection, 'transport' | 'origin'>,
  { clock, signal }: Pick<Ports, 'clock' | 'signal'>,
): { readonly next: () => Promise<void>; readonly close: () => void } {
  const stop = new AbortController();
  const stream = { hasChange: false, isOver: false, wake: (): void => undefined };
  const endStream = (): void => {
    stream.isOver = true;
    stream.wake();
  };
  const headers = { accept: 'text/event-stream' };
  transport(
    { method: 'GET', url: `${origin}/_control/stream`, headers, body: null },
    {
      timeoutMs: Infinity,
      signal: AbortSignal.any([signal, stop.signal]),
      onArrival: () => {
        stream.hasChange = true;
        stream.wake();
      },
    },
  ).then(endStream, endStream);
  return {
    next: async () => {
      if (stream.isOver) return clock.sleep(PAUSE_MS, signal);
      if (!stream.hasChange) await new Promise<void>((resolve) => (stream.wake = resolve));
      signal.throwIfAborted();
      stream.hasChange = false;
    },
    close: () => stop.abort(),
  };
}
