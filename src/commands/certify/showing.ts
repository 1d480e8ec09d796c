/** What an exam shows: how far it is, on standard error; and its report as text for a person, as JSON, and as a file for CI. */
import { counted } from '../../contract/on-screen.js';
import { junitOf, JUNIT_BEGINNING } from '../../certify/junit.js';
import { closingLine, type ExamReport, findingHead, type Outcome, reportJson } from '../../certify/report.js';
import type { GlobalFlags } from '../../cli/command.js';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { escapeText } from '../../output/escape.js';
import { widthOf, wrapPieces } from '../../output/width.js';
import type { Ports } from '../../runtime/ports.js';
import type { Output } from '../../runtime/streams.js';
import { writeWholeFile, requireReplaceable } from '../../runtime/whole-file.js';
import { mayRepaint } from '../../cli/line/interaction.js';

/** What both exams take. */
export type ExamFlags = GlobalFlags & {
  readonly only?: string[] | undefined;
  readonly skip?: string[] | undefined;
  readonly strict: boolean;
  readonly jobs: string;
  readonly junit?: string | undefined;
};

const BAR = 30;
const LINE_EVERY = 10;
const CLEARED = '\r\u001B[K';

/**
 * How far an exam is: a line that is written over at a terminal, a line each ten cases elsewhere.
 * @param total how many cases there are
 */
export function caseProgress(ports: Ports, flags: { readonly quiet: boolean }, total: number) {
  const begun = new Set<string>();
  const isPainted = mayRepaint(ports);
  let last: Promise<void> = Promise.resolve();
  const say = (text: string): void => {
    last = last.then(() => ports.errors.write(text)).catch(() => undefined);
  };
  return {
    /** A case begins; each counts once. */
    begin: (id: string): void => {
      if (flags.quiet || begun.has(id)) return;
      begun.add(id);
      const done = Math.min(begun.size, total);
      const count = `${String(done)} of ${String(total)}`;
      const filled = total === 0 ? 0 : Math.floor((done / total) * BAR);
      const bar = `${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}`;
      const line = ` [${bar}] ${count}   ${escapeText(id)}`;
      // A line that is wider than the terminal could not be written over.
      if (isPainted) say(CLEARED + line.slice(0, Math.max(0, ports.errors.columns - 1)));
      else if (done % LINE_EVERY === 0) say(`${count} cases\n`);
    },
    /** Leaves nothing of itself at a terminal. */
    end: async (): Promise<void> => {
      if (isPainted && begun.size > 0) say(CLEARED);
      await last;
    },
  };
}

/** @throws Failure `usage` for an output that does not suit; `unsafe` where the file of --junit is none of ours */
export async function examShowing(ports: Ports, flags: ExamFlags) {
  const printer = await printerOfAnything(ports, flags);
  const { junit } = flags;
  if (junit !== undefined) requireReplaceable(junit, JUNIT_BEGINNING);
  const isRead = printer.mode === 'table';
  return {
    /** Whether a person reads the report as text. */
    isRead,
    /**
     * @param head one line above it
     * @param found the lines of what did not pass; each by itself, with its `why`, where they are not given
     */
    show: async (
      report: ExamReport,
      head: string,
      tookMs: number,
      found: readonly string[] = ownFindings(report),
    ): Promise<void> => {
      if (junit !== undefined) writeWholeFile(junit, JUNIT_BEGINNING, junitOf(report, tookMs));
      if (isRead) await ports.output.write(reportText(report, [head, ...found], tookMs, ports.output));
      else await printer.answer(Buffer.from(reportJson(report)));
    },
  };
}

/** What was found, what was left out, and what all of it comes to. */
function reportText(
  report: ExamReport,
  found: readonly string[],
  tookMs: number,
  { isTTY, columns }: Pick<Output, 'isTTY' | 'columns'>,
): string {
  const { leftOut } = report;
  const lines = [...found];
  if (leftOut.length > 0)
    lines.push(`Left out by you: ${counted(leftOut.length, 'case')} (${leftOut.join(', ')}).`);
  lines.push(closingLine(report, tookMs));
  return lines
    .map(escapeText)
    .flatMap((line) => (isTTY ? fitted(line, columns) : [line]))
    .map((line) => `${line}\n`)
    .join('');
}

const INDENT = '  ';

/** A line of the report as lines that fit, broken at spaces. What is to be typed stays in one piece. */
function fitted(line: string, width: number): string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  const excess = widthOf(line) - width;
  if (excess <= 0 || line.startsWith('svc ', indent.length)) return [line];
  // The gap between the two sides of a head gives way first.
  const gap = (spaces: string): string => ' '.repeat(Math.max(INDENT.length, spaces.length - excess));
  const text = indent === '' ? line.replace(/ {3,}/, gap) : line.slice(indent.length);
  const inner = width - indent.length - INDENT.length;
  return widthOf(text) <= width - indent.length
    ? [indent + text]
    : wrapPieces(text.split(' '), inner).map((part, at) => `${indent}${at === 0 ? '' : INDENT}${part}`);
}

/** What did not pass, each with what it explains beneath it. */
function ownFindings({ outcomes }: ExamReport): string[] {
  const own = outcomes.filter(({ status, andSo }) => status !== 'passed' && andSo === null);
  const groups = Map.groupBy(own, ({ id, status, why }) => (status === 'not_judged' ? (why ?? '') : id));
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : findingLines(first, others, outcomes),
  );
}

/** @param others not judged for the same reason */
function findingLines(outcome: Outcome, others: readonly Outcome[], outcomes: readonly Outcome[]): string[] {
  const explained = outcomes.flatMap(({ id, andSo }) => (andSo === outcome.id ? [id] : []));
  return [
    findingHead(outcome.id, outcome),
    `  ${outcome.why ?? ''}`,
    ...(outcome.repeat === null ? [] : [`  ${outcome.repeat}`]),
    ...(others.length === 0 ? [] : [`  also: ${listedIds(others.map(({ id }) => id))}`]),
    ...(explained.length === 0 ? [] : [`  and so: ${listedIds(explained)}`]),
  ];
}

const NAMED_MAX = 8;

function listedIds(ids: readonly string[]): string {
  if (ids.length <= NAMED_MAX) return ids.join(', ');
  return `${ids.slice(0, NAMED_MAX).join(', ')} and ${String(ids.length - NAMED_MAX)} more`;
}
