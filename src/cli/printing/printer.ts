/** Prints what a command has to say in the form that was asked for: data on standard output and nothing else. */
import { type ResultKind, endpoint, type EndpointId } from '../../contract/endpoints.js';
import { chooseMode, type OutputMode, type OutputShape } from '../../output/mode.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../command.js';
import { readerFor, styleFor } from '../line/interaction.js';
import { withoutMark } from '../../contract/json.js';
import { indentJson } from '../../contract/on-screen.js';
import { escapeBytes, escapeLines, escapeText } from '../../output/escape.js';
import { PLAIN, type Style } from '../../output/style.js';

export interface Printer {
  readonly mode: OutputMode;
  /**
   * One answer of the service, from its own bytes.
   * @param nowMs what time it was for the service then, in ms; null where it did not say
   */
  answer(body: Uint8Array, nowMs?: number | null): Promise<void>;
  /** Some elements of a list that is printed page by page: NDJSON, filtered where `--jq` says so. */
  lines(ndjson: Uint8Array): Promise<void>;
}

/** What is printed: its shape, where its list is, and how it becomes a table. */
interface Content {
  /** Default: a list or a single object, by `list`. */
  readonly shape?: OutputShape | undefined;
  readonly result?: ResultKind | null;
  /** The name of the list's wrapper; none where it is no list. */
  readonly list?: string | null;
  /** The columns that csv has even where the list is empty, for a list that is none of the service's. */
  readonly columns?: readonly string[] | undefined;
  readonly table: (body: Uint8Array, nowMs: number | null) => Promise<string>;
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
    ...{ shape, result, list },
    table: async (body, nowMs) => {
      const { renderView } = await import('../../output/views.js');
      return renderView(row, body, await readerFor(ports, flags, nowMs));
    },
  });
}

/**
 * The printer of what is no row of the table: members are shown as they come.
 * @param columns what csv has even where the list is empty
 * @throws Failure `usage`
 */
export function printerOfAnything(
  ports: Ports,
  flags: GlobalFlags,
  list: string | null = null,
  columns?: readonly string[],
): Promise<Printer> {
  return printer(ports, flags, {
    ...{ list, columns },
    table: async (body, nowMs) => {
      const reader = await readerFor(ports, flags, nowMs);
      if (list === null) return (await import('../../output/views/own-list.js')).renderOwn(body, reader);
      return (await import('../../output/views/own.js')).renderOwnList(body, list, reader);
    },
  });
}

/** The printer of what a sandbox says of itself. @throws Failure `usage` */
export function printerOfSandbox(
  ports: Ports,
  flags: GlobalFlags,
  list: string | null,
  elementOf: string | null = null,
): Promise<Printer> {
  return printer(ports, flags, {
    list,
    table: async (body, nowMs) => {
      const reader = await readerFor(ports, flags, nowMs);
      if (elementOf !== null) {
        const { renderSandboxList } = await import('../../output/views/sandbox.js');
        const listed = Buffer.concat([Buffer.from(`{"${elementOf}":[`), body, Buffer.from(']}')]);
        return renderSandboxList(listed, elementOf, reader);
      }
      if (list === null) return (await import('../../output/views/own-list.js')).renderOwn(body, reader);
      return (await import('../../output/views/sandbox.js')).renderSandboxList(body, list, reader);
    },
  });
}

/** The printer of an object that people read as this text. @throws Failure `usage` */
export function printerOfText(ports: Ports, flags: GlobalFlags, text: () => string): Promise<Printer> {
  return printer(ports, flags, { table: () => Promise.resolve(text()) });
}

/** The printer of an object that people read as these sentences, each behind what it is about. @throws Failure `usage` */
export function printerOfSentences(
  ports: Ports,
  flags: GlobalFlags,
  sentences: readonly { readonly about: string; readonly text: string }[],
): Promise<Printer> {
  return printer(ports, flags, {
    table: async (_body, nowMs) => {
      const [{ renderDetail }, { width, style }] = await Promise.all([
        import('../../output/detail.js'),
        readerFor(ports, flags, nowMs),
      ]);
      const pairs = sentences.map(({ about, text }) => ({ label: about, value: text }));
      return renderDetail(pairs, width, style);
    },
  });
}

/** The printer of lines that never end. @throws Failure `usage` */
export function printerOfStream(ports: Ports, flags: GlobalFlags): Promise<Printer> {
  return printer(ports, flags, { shape: 'stream', table: () => Promise.resolve('') });
}

/** The printer of how a batch stands. @throws Failure `usage` */
export function printerOfBatch(ports: Ports, flags: GlobalFlags): Promise<Printer> {
  return printer(ports, flags, {
    table: async (body, nowMs) => {
      const { renderBatch } = await import('../../output/views.js');
      return renderBatch(body, await readerFor(ports, flags, nowMs));
    },
  });
}

async function printer(ports: Ports, flags: GlobalFlags, content: Content): Promise<Printer> {
  const { output, env } = ports;
  const { list = null, shape = list === null ? 'single' : 'list' } = content;
  const mode = chooseMode(flags, env['SVC_OUTPUT'], output.isTTY, shape);
  const jq = flags.jq === undefined ? null : await import('../../output/jq-thread.js');
  const filter = (await jq?.startJqFilter(flags.jq ?? '', ports)) ?? null;
  // On a terminal nothing in them drives it, and they stay lines.
  const shown = (lines: string | Uint8Array): string =>
    typeof lines === 'string' ? escapeLines(lines) : escapeBytes(lines);
  const text = (lines: string | Uint8Array): Promise<void> =>
    output.write(output.isTTY ? shown(lines) : lines);
  const lines = async (ndjson: Uint8Array): Promise<void> =>
    text(filter === null ? ndjson : await filter(ndjson));
  const csv = mode === 'csv' ? await csvPages(ports, flags, content) : null;
  return {
    mode,
    lines,
    answer: async (body, nowMs = null) => {
      if (csv !== null) await text(await csv(body));
      else if (mode === 'table') await output.write(await content.table(body, nowMs));
      else if (mode === 'ndjson') {
        const { renderLine, renderNdjson } = await import('../../output/ndjson.js');
        await lines(list === null ? renderLine(body) : renderNdjson(body, list));
      } else if (filter === null)
        await output.write(renderJson(body, output.isTTY, await styleFor(ports, flags)));
      else await lines(body);
    },
  };
}

/** Pages of one list as CSV under one header; a field that comes too late for it is named on standard error. */
async function csvPages(
  { errors }: Ports,
  { quiet }: GlobalFlags,
  { result = null, list = null, columns }: Content,
) {
  const { createCsvWriter } = await import('../../output/csv.js');
  const writer = await createCsvWriter(result, list, columns);
  const named = new Set<string>();
  return async (body: Uint8Array): Promise<string> => {
    const page = writer.page(body);
    const late = [...writer.leftOut].filter((field) => !named.has(field));
    for (const field of late) named.add(field);
    if (late.length > 0 && !quiet) {
      await errors.write(
        `Not in the csv, because its header was already written: ${escapeText(late.join(', '))}\n`,
      );
    }
    return page;
  };
}

/** @throws Failure `usage` for an output that does not suit it, or a filter that does not compile */
export function printerOfJson(ports: Ports, flags: GlobalFlags): Promise<Printer> {
  const isAsked = flags.output !== undefined || flags.jq !== undefined;
  return printerOfAnything(ports, isAsked ? flags : { ...flags, output: 'json' });
}

const NEWLINE = Uint8Array.of(0x0a);

/** The body byte for byte and a newline; laid out, with escapes and without a byte order mark, where standard output is a terminal. */
export function renderJson(body: Uint8Array, terminal: boolean, style: Style = PLAIN): Uint8Array | string {
  return terminal ? `${indentJson(escapeBytes(withoutMark(body)), style)}\n` : Buffer.concat([body, NEWLINE]);
}
