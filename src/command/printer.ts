import { type ResultKind, endpoint, type EndpointId } from '../contract/endpoints.js';
import { chooseMode, type OutputMode, type OutputShape } from '../output/mode.js';
import type { Ports } from '../runtime/ports.js';
import type { GlobalFlags } from './command.js';
import { readerFor, styleForOutput } from './line/terminal.js';
import { withoutByteOrderMark } from '../contract/json.js';
import { indentJson } from '../contract/on-screen.js';
import { escapeBytes, escapeLines, escapeText } from '../output/escape.js';
import { PLAIN, type Style } from '../output/style.js';
import type { ListRenderer } from '../output/views/own-list.js';

export interface Printer {
  readonly mode: OutputMode;
  answer(body: Uint8Array, nowMs?: number | null): Promise<void>;
  lines(ndjson: Uint8Array): Promise<void>;
}

export interface PrintedContent {
  readonly shape?: OutputShape | undefined;
  readonly result?: ResultKind | null;
  readonly list?: string | null;
  readonly columns?: readonly string[] | undefined;
  readonly table: (body: Uint8Array, nowMs: number | null) => Promise<string>;
}

export function printerFor(
  ports: Ports,
  flags: GlobalFlags,
  endpointId: EndpointId,
  shape?: OutputShape,
): Promise<Printer> {
  const { list, result } = endpoint(endpointId);
  return openPrinter(ports, flags, {
    ...{ shape, result, list },
    table: async (body, nowMs) => {
      const { renderView } = await import('../output/views.js');
      return renderView({ list, result }, body, await readerFor(ports, flags, nowMs));
    },
  });
}

export function printerOfAnything(
  ports: Ports,
  flags: GlobalFlags,
  list: string | null = null,
  { columns, render }: { columns?: readonly string[]; render?: () => Promise<ListRenderer> } = {},
): Promise<Printer> {
  return openPrinter(ports, flags, {
    ...{ list, columns },
    table: async (body, nowMs) => {
      const reader = await readerFor(ports, flags, nowMs);
      const { renderOwnObject, renderPlainList } = await import('../output/views/own-list.js');
      if (list === null) return renderOwnObject(body, reader);
      return ((await render?.()) ?? renderPlainList)(body, list, reader);
    },
  });
}

export function printerOfSentences(
  ports: Ports,
  flags: GlobalFlags,
  sentences: readonly { readonly about: string; readonly text: string }[],
): Promise<Printer> {
  return openPrinter(ports, flags, {
    table: async (_body, nowMs) => {
      const [{ renderDetail }, { width, style }] = await Promise.all([
        import('../output/detail.js'),
        readerFor(ports, flags, nowMs),
      ]);
      const pairs = sentences.map(({ about, text }) => ({ label: about, value: text }));
      return renderDetail(pairs, width, style);
    },
  });
}

export async function openPrinter(
  ports: Ports,
  flags: GlobalFlags,
  content: PrintedContent,
): Promise<Printer> {
  const { output, env } = ports;
  const { list = null, shape = list === null ? 'single' : 'list' } = content;
  const mode = chooseMode(flags, env['SVC_OUTPUT'], output.isTTY, shape);
  const jq = flags.jq === undefined ? null : await import('../output/jq-thread.js');
  const filter = (await jq?.startJqFilter(flags.jq ?? '', ports)) ?? null;
  const escapeAll = (text: string | Uint8Array): string =>
    typeof text === 'string' ? escapeLines(text) : escapeBytes(text);
  const writeText = (text: string | Uint8Array): Promise<void> =>
    output.write(output.isTTY ? escapeAll(text) : text);
  const lines = async (ndjson: Uint8Array): Promise<void> =>
    writeText(filter === null ? ndjson : await filter(ndjson));
  const csvOf = mode === 'csv' ? await csvPages(ports, flags, content) : null;
  return {
    mode,
    lines,
    answer: async (body, nowMs = null) => {
      if (csvOf !== null) await writeText(await csvOf(body));
      else if (mode === 'table') await output.write(await content.table(body, nowMs));
      else if (mode === 'ndjson') {
        const { renderLine, renderNdjson } = await import('../output/ndjson.js');
        await lines(list === null ? renderLine(body) : renderNdjson(body, list));
      } else if (filter === null)
        await output.write(renderJson(body, output.isTTY, await styleForOutput(ports, flags)));
      else await lines(body);
    },
  };
}

async function csvPages(
  { errors }: Ports,
  { quiet }: GlobalFlags,
  { result = null, list = null, columns }: PrintedContent,
) {
  const { createCsvWriter } = await import('../output/csv.js');
  const writer = await createCsvWriter(result, list, columns);
  const notedFields = new Set<string>();
  return async (body: Uint8Array): Promise<string> => {
    const page = writer.page(body);
    const lateFields = [...writer.omittedFields].filter((field) => !notedFields.has(field));
    for (const field of lateFields) notedFields.add(field);
    const fieldsText = escapeText(lateFields.join(', '));
    if (lateFields.length > 0 && !quiet)
      await errors.write(`Not in the csv, because its header was already written: ${fieldsText}\n`);
    return page;
  };
}

export function printerOfJson(ports: Ports, flags: GlobalFlags): Promise<Printer> {
  const hasChosenFormat = flags.output !== undefined || flags.jq !== undefined;
  return printerOfAnything(ports, hasChosenFormat ? flags : { ...flags, output: 'json' });
}

const NEWLINE = Uint8Array.of(0x0a);

export function renderJson(body: Uint8Array, isTerminal: boolean, style: Style = PLAIN): Uint8Array | string {
  return isTerminal
    ? `${indentJson(escapeBytes(withoutByteOrderMark(body)), style)}\n`
    : Buffer.concat([body, NEWLINE]);
}
