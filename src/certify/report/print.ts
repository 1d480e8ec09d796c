import { counted } from '../../contract/on-screen.js';
import { junitOf, JUNIT_BEGINNING } from './junit.js';
import { closingLine, type ExamReport, findingHead, type Outcome, reportJson } from './report.js';
import type { GlobalFlags } from '../../command/command.js';
import { printerOfAnything } from '../../command/printer.js';
import { renderNote } from '../../output/error-prose.js';
import { escapeText } from '../../output/escape.js';
import { widthOf, wrapPieces } from '../../output/width.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import { writeWholeFile, requireReplaceable } from '../../runtime/whole-file.js';
import { lineReplacer, mayRepaint } from '../../command/line/terminal.js';

export type ExamFlags = GlobalFlags & {
  readonly only?: string[] | undefined;
  readonly skip?: string[] | undefined;
  readonly strict: boolean;
  readonly jobs: string;
  readonly junit?: string | undefined;
};

const BAR_WIDTH = 30;
const LINE_EVERY = 10;

export function caseProgress(ports: Ports, { quiet }: { readonly quiet: boolean }) {
  const countedIds = new Set<string>();
  const isPainted = mayRepaint(ports);
  const paint = lineReplacer(ports.errors);
  let lastWrite: Promise<void> = Promise.resolve();
  const say = (text: string): void => {
    if (!quiet) lastWrite = lastWrite.then(() => ports.errors.write(text)).catch(() => undefined);
  };
  const clear = (): void => {
    if (isPainted && countedIds.size > 0) say(paint(''));
    countedIds.clear();
  };
  return {
    count: (id: string, total: number): void => {
      if (countedIds.has(id)) return;
      countedIds.add(id);
      const done = Math.min(countedIds.size, total);
      const countText = `${String(done)} of ${String(total)}`;
      const filled = total === 0 ? 0 : Math.floor((done / total) * BAR_WIDTH);
      const bar = `${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}`;
      if (isPainted) say(paint(` [${bar}] ${countText}   ${escapeText(id)}`));
      else if (done % LINE_EVERY === 0) say(`${countText} cases\n`);
    },
    note: (text: string): void => {
      clear();
      say(renderNote(text, ports.errors));
    },
    end: async (): Promise<void> => {
      clear();
      await lastWrite;
    },
  };
}

export async function examShowing(ports: Ports, flags: ExamFlags) {
  const printer = await printerOfAnything(ports, flags);
  const { junit } = flags;
  if (junit !== undefined) requireReplaceable(junit, JUNIT_BEGINNING);
  const isTable = printer.mode === 'table';
  return {
    isTable,
    show: async (
      report: ExamReport,
      head: string,
      tookMs: number,
      findings: readonly string[] = ownFindings(report),
    ): Promise<void> => {
      if (junit !== undefined) writeWholeFile(junit, JUNIT_BEGINNING, junitOf(report, tookMs));
      if (!isTable) return printer.answer(Buffer.from(reportJson(report)));
      const { leftOut } = report;
      const leftOutText = `Left out by you: ${counted(leftOut.length, 'case')} (${leftOut.join(', ')}).`;
      const lines = [
        head,
        ...findings,
        ...(leftOut.length > 0 ? [leftOutText] : []),
        closingLine(report, tookMs),
      ];
      const { isTTY, columns } = ports.output;
      const shown = lines.map(escapeText).flatMap((line) => (isTTY ? wrapLine(line, columns) : [line]));
      await ports.output.write(shown.map((line) => `${line}\n`).join(''));
    },
  };
}

export function notCertified(
  message: string,
  outcomes: readonly Outcome[],
  { isTable }: { readonly isTable: boolean },
  advice: string[] = [],
): Failure {
  return new Failure('not_certified', message, {
    ...{ concernsMoney: false, outcome: 'sent', advice },
    items: isTable ? [] : outcomes.map(({ id, why }) => `${id}: ${why ?? ''}`),
    nextCommand: isTable ? undefined : (outcomes[0]?.repeat ?? undefined),
  });
}

const INDENT = '  ';

/** A command line is not wrapped, so that it can be pasted. */
function wrapLine(line: string, width: number): string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  const excess = widthOf(line) - width;
  if (excess <= 0 || line.startsWith('svc ', indent.length)) return [line];
  const gap = (spaces: string): string => ' '.repeat(Math.max(INDENT.length, spaces.length - excess));
  const text = indent === '' ? line.replace(/ {3,}/, gap) : line.slice(indent.length);
  const innerWidth = width - indent.length - INDENT.length;
  return widthOf(text) <= width - indent.length
    ? [indent + text]
    : wrapPieces(text.split(' '), innerWidth).map((part, at) => `${indent}${at === 0 ? '' : INDENT}${part}`);
}

function ownFindings({ outcomes }: ExamReport): string[] {
  const unexplained = outcomes.filter(({ status, andSo }) => status !== 'passed' && andSo === null);
  const groups = Map.groupBy(unexplained, ({ id, status, why }) =>
    status === 'not_judged' ? (why ?? '') : id,
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const explainedIds = outcomes.flatMap(({ id, andSo }) => (andSo === first.id ? [id] : []));
    const lines = [findingHead(first.id, first), `  ${first.why ?? ''}`, ...repeatLines(first, '  ')];
    return [...lines, ...relatedLines(listedIds(others.map(({ id }) => id)), listedIds(explainedIds))];
  });
}

export function repeatLines({ repeat }: Outcome, indent: string): string[] {
  return repeat === null ? [] : [indent + repeat];
}

export function relatedLines(also: string, andSo: string): string[] {
  return [...(also === '' ? [] : [`  also: ${also}`]), ...(andSo === '' ? [] : [`  and so: ${andSo}`])];
}

const LISTED_IDS_MAX = 8;

function listedIds(ids: readonly string[]): string {
  if (ids.length <= LISTED_IDS_MAX) return ids.join(', ');
  return `${ids.slice(0, LISTED_IDS_MAX).join(', ')} and ${String(ids.length - LISTED_IDS_MAX)} more`;
}
