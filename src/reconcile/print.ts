import { printerOfAnything, type Printer } from '../command/printer.js';
import { type ShownFinding, type shownSummary, totalRows } from './findings-shown.js';
import { classWords } from './finding.js';
import { afterArrivals } from '../runtime/clock.js';
import type { Ports } from '../runtime/ports.js';
import type { GlobalFlags } from '../command/command.js';

const PAGE_FINDINGS = 200;

export async function reconciliationPrinter(ports: Ports, flags: GlobalFlags) {
  const printer = await printerOfAnything(ports, flags, 'findings', {
    columns: CSV_COLUMNS,
    render: async () => (await import('./view.js')).renderFindingList,
  });
  const shownClasses = new Set<string>();
  let page: ShownFinding[] = [];
  let pages = 0;
  const flush = async (): Promise<void> => {
    if (page.length === 0) return;
    if (printer.mode === 'table' && pages > 0) await ports.output.write('\n');
    pages += 1;
    const findings = page;
    page = [];
    await printPage(printer, findings);
    // Lets a pending signal arrive, because writing to a pipe gives no turn to the event loop.
    await new Promise<void>(afterArrivals);
  };
  return {
    finding: async (finding: ShownFinding): Promise<void> => {
      const isOtherClass = printer.mode === 'table' && page.some((other) => other.class !== finding.class);
      if (page.length >= PAGE_FINDINGS || isOtherClass) await flush();
      const isClassShown = printer.mode === 'table' && shownClasses.has(finding.class);
      shownClasses.add(finding.class);
      page.push(isClassShown ? { ...finding, next_command: null } : finding);
    },
    end: async (summary: ReturnType<typeof shownSummary>): Promise<void> => {
      await flush();
      if (printer.mode === 'csv') {
        if (pages === 0) await printPage(printer, []);
      } else if (printer.mode === 'table') {
        const sums = [...summary.sums.map(withWords), ...totalRows(summary.totals)];
        const table = await printerOfAnything(ports, { ...flags, output: 'table' }, 'sums', {
          render: async () => (await import('./view.js')).renderFindingList,
        });
        if (pages > 0) await ports.output.write('\n');
        await table.answer(json({ sums }));
      } else await printer.lines(json(summary));
    },
  };
}

function printPage(printer: Printer, findings: readonly ShownFinding[]): Promise<void> {
  if (printer.mode === 'table') return printer.answer(json({ findings: findings.map(withWords) }));
  if (printer.mode === 'csv') return printer.answer(json({ findings: findings.flatMap(rowsOf) }));
  return printer.lines(Buffer.from(findings.map((finding) => `${JSON.stringify(finding)}\n`).join('')));
}

function withWords<T extends Pick<ShownFinding, 'class'>>(entry: T): T & { readonly words: string } {
  return { ...entry, words: classWords(entry.class) };
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

const CELLS = ['id', 'reference', 'bank_reference', 'direction', 'currency', 'amount', 'date'] as const;

const CSV_COLUMNS = [
  ...['class', 'by', 'line', ...CELLS.map((name) => `here_${name}`)],
  ...['status', ...CELLS.map((name) => `there_${name}`)],
  ...['detail', 'beside', 'suggestion', 'tolerances', 'next_command'],
];

function rowsOf(finding: ShownFinding): Readonly<Record<string, string | number | null>>[] {
  const { here, there, class: kind, by, detail, tolerances, next_command } = finding;
  const common = {
    ...{ class: kind, by, detail, next_command, tolerances: tolerances.join(' ') },
    beside: joinNames(finding.beside),
    suggestion: joinNames(finding.suggestion),
  };
  return Array.from({ length: Math.max(here.length, there.length) }, (_, at) => {
    const [line, operation] = [here[at], there[at]];
    const cellPairs = CELLS.flatMap((name) => [
      [`here_${name}`, line?.[name] ?? null],
      [`there_${name}`, operation?.[name] ?? null],
    ]);
    const cells = Object.fromEntries(cellPairs) as Readonly<Record<string, string | null>>;
    return { ...common, line: line?.line ?? null, status: operation?.status ?? null, ...cells };
  });
}

function joinNames(entries: ShownFinding['beside']): string | null {
  return entries === null ? null : [...entries.lines.map(String), ...entries.operations].join(' ');
}
