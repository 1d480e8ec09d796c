/** Prints what a command has to say in the form that was asked for: data on standard output and nothing else. */
import { endpoint, type EndpointId } from '../contract/endpoints.js';
import { wantsColour } from '../output/colour.js';
import { renderJson } from '../output/json.js';
import type { JqFilter } from '../output/jq.js';
import { chooseMode, type OutputMode, type OutputShape } from '../output/mode.js';
import type { Ports } from '../runtime/ports.js';
import type { GlobalFlags } from './base.js';

export interface Printer {
  readonly mode: OutputMode;
  /** One answer of the service, from its own bytes. */
  answer(body: Uint8Array): Promise<void>;
  /** Some elements of a list that is printed page by page: NDJSON, filtered where `--jq` says so. */
  lines(ndjson: Uint8Array): Promise<void>;
}

/** What is printed: its shape, and how its bytes are turned into text in each mode but JSON. */
interface Content {
  readonly shape: OutputShape;
  readonly table: (body: Uint8Array) => Promise<string>;
  readonly csv: (body: Uint8Array) => Promise<string>;
  readonly ndjson: (body: Uint8Array) => Promise<Uint8Array>;
}

/**
 * The printer of a row of the table.
 * @throws Failure `usage` for an output that does not suit it or a filter that does not compile, before anything is sent
 */
export function printerFor(
  ports: Ports,
  flags: GlobalFlags,
  row: EndpointId,
  shape?: OutputShape,
): Promise<Printer> {
  const { list, result } = endpoint(row);
  return printer(ports, flags, {
    shape: shape ?? (list === null ? 'single' : 'list'),
    table: async (body) => {
      const { renderView } = await import('../output/views.js');
      return renderView(row, body, ports.output.columns, await styleOf(ports, flags));
    },
    csv: async (body) => (await (await import('../output/csv.js')).createCsvWriter(result, list)).page(body),
    ndjson: async (body) => {
      const { renderLine, renderNdjson } = await import('../output/ndjson.js');
      return list === null ? renderLine(body) : renderNdjson(body, list);
    },
  });
}

/** The printer of what is no row of the table: members are shown as they come. @throws Failure `usage` */
export function printerOfAnything(
  ports: Ports,
  flags: GlobalFlags,
  list: string | null = null,
): Promise<Printer> {
  return printer(ports, flags, {
    shape: list === null ? 'single' : 'list',
    table: async (body) => {
      const { renderAnything } = await import('../output/views.js');
      return renderAnything(body, ports.output.columns, await styleOf(ports, flags));
    },
    csv: async (body) => (await (await import('../output/csv.js')).createCsvWriter(null, list)).page(body),
    ndjson: async (body) => {
      const { renderLine, renderNdjson } = await import('../output/ndjson.js');
      return list === null ? renderLine(body) : renderNdjson(body, list);
    },
  });
}

async function printer(ports: Ports, flags: GlobalFlags, content: Content): Promise<Printer> {
  const { output, env } = ports;
  const mode = chooseMode(flags, env['SVC_OUTPUT'], output.isTTY, content.shape);
  const filter = flags.jq === undefined ? null : await jqFilter(flags.jq);
  const lines = async (text: string | Uint8Array): Promise<void> => {
    const filtered = filter === null ? text : filter(text);
    await output.write(output.isTTY ? await onTerminal(filtered) : filtered);
  };
  return {
    mode,
    lines,
    answer: async (body) => {
      if (mode === 'table') await output.write(await content.table(body));
      else if (mode === 'csv') await output.write(await content.csv(body));
      else if (mode === 'ndjson') await lines(await content.ndjson(body));
      else if (filter === null) await output.write(renderJson(body, output.isTTY));
      else await lines(body);
    },
  };
}

async function jqFilter(expression: string): Promise<JqFilter> {
  const { createJqFilter } = await import('../output/jq.js');
  return createJqFilter(expression);
}

async function styleOf({ output, env }: Ports, flags: GlobalFlags) {
  const { createStyle } = await import('../output/style.js');
  return createStyle(wantsColour(flags['no-color'], env, output.isTTY));
}

/** Lines for a terminal: nothing in them drives it, and they stay lines. */
async function onTerminal(lines: string | Uint8Array): Promise<string> {
  const { escapeLines } = await import('../output/escape.js');
  return escapeLines(typeof lines === 'string' ? lines : Buffer.from(lines).toString('utf8'));
}
