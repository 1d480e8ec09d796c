/** Writes what was found into a report: a file of its own, put in its place once it is whole. */
import {
  REPORT_BEGINNING,
  REPORT_FINDINGS_MAX,
  reportBeginning,
  reportEnd,
  reportFinding,
  type ReportFacts,
} from '../../reconcile/report/document.js';
import type { Reconciliation } from '../../reconcile/finding.js';
import type { ShownFinding } from '../../reconcile/shown.js';
import { afterArrivals } from '../../runtime/clock.js';
import { readAsset } from '../../runtime/asset.js';
import { beginWholeFile, requireReplaceable } from '../../runtime/whole-file.js';

const TURN_FINDINGS = 1000;

/** @throws Failure `unsafe` where something stands there that is no report of ours, `local_state` where nothing can be written */
export function requireReportPlace(path: string): void {
  requireReplaceable(path, REPORT_BEGINNING);
}

export interface ReportContent {
  readonly title: string;
  readonly facts: ReportFacts;
  readonly result: Reconciliation;
  readonly findings: Iterable<ShownFinding>;
}

/** @throws as `requireReportPlace`; whatever ends it, what stood there before stands there still */
export async function writeReport(
  path: string,
  { title, facts, result, findings }: ReportContent,
): Promise<void> {
  const parts = { script: textOf('report.js'), style: textOf('report.css') };
  const file = beginWholeFile(path, REPORT_BEGINNING);
  try {
    file.write(reportBeginning(title, facts, result, parts));
    let count = 0;
    for (const finding of findings) {
      if (count < REPORT_FINDINGS_MAX) file.write(reportFinding(finding, count === 0));
      count += 1;
      // A signal that came meanwhile is heard.
      if (count % TURN_FINDINGS === 0) await new Promise<void>(afterArrivals);
    }
    file.write(reportEnd(Math.max(0, count - REPORT_FINDINGS_MAX), parts));
    file.finish();
  } finally {
    file.abandon();
  }
}

function textOf(asset: string): string {
  return Buffer.from(readAsset(asset)).toString('utf8');
}
