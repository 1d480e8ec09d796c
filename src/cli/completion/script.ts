/** Pieces of a script that more than one shell reads: quoting, `case` rows, and the walk over the words before the cursor. Pure text. */
import type { Spec, Value } from './spec.js';
import { valueRows, type Row } from './table.js';

/** In single quotes, as every one of the shells reads them. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '').replaceAll("'", '’')}'`;
}

/** The values alone, for a list of words. */
export function plain(candidates: readonly Value[]): string {
  return candidates.map(({ value }) => value).join(' ');
}

/** One line a row of a POSIX `case`. */
export function cases(rows: readonly Row[], action: (candidates: readonly Value[]) => string): string {
  return rows
    .filter(({ candidates }) => candidates.length > 0)
    .map(({ patterns, candidates }) => `    ${patterns.map(quoted).join('|')}) ${action(candidates)} ;;`)
    .join('\n');
}

/** Every path that a command or a topic has. */
export function pathsOf(spec: Spec): string[] {
  const paths = [...spec.words.keys(), ...spec.commands.map(({ id }) => id)];
  return [...new Set(paths)].filter((path) => path !== '');
}

/** Where the words before the cursor lead: shared by bash and zsh. `words` and `count` are set; `at` is the first index. */
export function posixPath(spec: Spec): string {
  const takesValue = valueRows(spec).flatMap(({ patterns }) => patterns);
  const paths = pathsOf(spec);
  return `  while [ "$at" -lt "$count" ]; do
    word=\${words[$at]}; at=$((at + 1))
    case "$word" in
    ${takesValue.join('|')}) at=$((at + 1)); continue ;;
    -*) continue ;;
    esac
    [ -z "$svc_path" ] && case "$word" in
${singulars(spec)}
    esac
    case "\${svc_path:+$svc_path }$word" in
    ${paths.map(quoted).join('|')}) svc_path="\${svc_path:+$svc_path }$word" ;;
    *) svc_rest=1 ;;
    esac
  done`;
}

function singulars({ plurals }: Spec): string {
  return [...plurals].map(([one, many]) => `    ${one}) word=${many} ;;`).join('\n');
}
