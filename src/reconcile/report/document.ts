import { hash } from 'node:crypto';
import { type Reconciliation, classWords } from '../finding.js';
import { type ShownFinding, totalRows } from '../findings-shown.js';
import { showUnseen } from '../../contract/on-screen.js';

export const REPORT_BEGINNING =
  '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="svc reconcile">\n';

export const REPORT_FINDINGS_MAX = 20_000;

type PageParts = Readonly<Record<'script' | 'style', string>>;

export type ReportFacts = readonly (readonly [name: string, value: string])[];

export function reportBeginning(
  title: string,
  facts: ReportFacts,
  { agrees, sums, totals }: Reconciliation,
  { script, style }: PageParts,
): string {
  return `${REPORT_BEGINNING}${policy(script, style)}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${inHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${inHtml(title)}</h1>
<p class="verdict ${agrees ? 'good' : 'bad'}">${agrees ? 'Your file and the service agree.' : 'Your file and the service differ.'}</p>
<dl class="facts">
${facts.map(([name, value]) => `<div><dt>${inHtml(name)}</dt><dd>${inHtml(value)}</dd></div>`).join('\n')}
</dl>
<h2 id="sums-title">Both sides, class by class</h2>
${sumsTable(sums, totals)}
<h2 id="findings-title">Findings</h2>
<noscript><p>The list of findings needs JavaScript. It is in this file, and in what svc reconcile prints.</p></noscript>
<div id="list"></div>
</main>
<script type="application/json" id="findings">[`;
}

export function reportFinding(finding: ShownFinding, isFirst: boolean): string {
  return `${isFirst ? '' : ','}\n${inScript(finding)}`;
}

export function reportEnd(leftOut: number, { script }: PageParts): string {
  return `
]</script>
<script type="application/json" id="left-out">${String(leftOut)}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

function policy(script: string, style: string): string {
  const content = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<meta http-equiv="Content-Security-Policy" content="${content}">`;
}

function hashOf(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`;
}

function sumsTable(sums: Reconciliation['sums'], totals: Reconciliation['totals']): string {
  const classes = sums.map((sum) => ({ ...sum, words: classWords(sum.class), mark: '' }));
  const rows = [...classes, ...totalRows(totals).map((row) => ({ ...row, mark: ' class="total"' }))];
  const heads = ['Class', 'Currency', 'Lines', 'Your file', 'Operations', 'Service'];
  const body = rows.map(({ words, mark, currency, here, there }) => {
    const sides = [here, there].flatMap((sum) => [String(sum?.count ?? ''), sum?.amount ?? '']);
    const cells = sides.map(
      (text, at) => `<td class="number" data-head="${heads[at + 2] ?? ''}">${inHtml(text)}</td>`,
    );
    return `<tr${mark}><th scope="row">${words}</th><td>${inHtml(currency ?? '')}</td>${cells.join('')}</tr>`;
  });
  const head = heads.map((text, at) => `<th scope="col"${at > 1 ? ' class="number"' : ''}>${text}</th>`);
  return `<div class="wide" tabindex="0" role="region" aria-labelledby="sums-title"><table class="sums">
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function inHtml(text: string): string {
  return showUnseen(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Escapes `<`, `>` and `&`, because the browser looks for tags and comments before it reads the JSON. */
function inScript(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' ? showUnseen(member) : member,
  ).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
