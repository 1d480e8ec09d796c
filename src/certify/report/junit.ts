import type { ExamReport, Outcome } from './report.js';

/** svc overwrites only a file that begins with this text. */
export const JUNIT_BEGINNING = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="svc certify';

type Element = 'failure' | 'error' | 'skipped' | null;
const ELEMENTS = { passed: null, failed: 'failure', not_judged: 'error' } as const;

export function junitOf({ exam, leftOut, outcomes, isStrict }: ExamReport, tookMs: number): string {
  const elements = outcomes.map(({ status }): Element => {
    if (status === 'advice') return isStrict ? 'failure' : 'skipped';
    return ELEMENTS[status];
  });
  const count = (element: Element): string => String(elements.filter((one) => one === element).length);
  const seconds = (tookMs / 1000).toFixed(3);
  const counts =
    `tests="${String(outcomes.length)}" failures="${count('failure')}" errors="${count('error')}" ` +
    `skipped="${count('skipped')}" time="${seconds}"`;
  const cases = outcomes.map((outcome, at) => caseOf(exam, outcome, elements[at] ?? null));
  // Cases that were left out are listed as a property, because CI would count them as tests.
  const property = `<property name="left out by you" value="${attribute(leftOut.join(', '))}"/>`;
  const properties = leftOut.length === 0 ? '' : `    <properties>\n      ${property}\n    </properties>\n`;
  return (
    `${JUNIT_BEGINNING} ${exam}" ${counts}>\n` +
    `  <testsuite name="svc certify ${exam}" ${counts}>\n${properties}${cases.join('')}  </testsuite>\n</testsuites>\n`
  );
}

function caseOf(exam: string, outcome: Outcome, element: Element): string {
  const { id, severity, section, rule, why, andSo, repeat } = outcome;
  const head = `    <testcase classname="svc.certify.${exam}" name="${attribute(id)}"`;
  if (element === null) return `${head}/>\n`;
  const severityText = section === '' ? severity : `${severity}, section ${section}`;
  const text = [
    ...(rule === null ? [] : [`rule: ${rule}`]),
    severityText,
    ...(andSo === null ? [] : [`and so: ${andSo}`]),
    ...(repeat === null ? [] : [repeat]),
  ].join('\n');
  const message = ` message="${attribute(why ?? '')}"`;
  return `${head}>\n      <${element}${message}>${escapedXml(text)}</${element}>\n    </testcase>\n`;
}

function attribute(text: string): string {
  return escapedXml(text).replace(/[\t\n\r]/g, (one) => `&#${String(one.charCodeAt(0))};`);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escapedXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"']/g, (one) => ESCAPES[one] ?? one);
}
