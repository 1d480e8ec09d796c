/**
 * What the scripts of all shells are made of: what a path offers, which flags take a value and from where, quoting, `case` rows. Pure
 * text.
 */
import type { FlagSpec, Kind, Spec, Value } from './spec.js';

/** A pattern of the shell's `case`, and the candidates that belong to it. */
export interface CompletionRow {
  readonly patterns: readonly string[];
  readonly candidates: readonly Value[];
}

/** The words that may follow a path. */
export function wordRows({ words }: Spec): CompletionRow[] {
  return [...words].map(([path, candidates]) => ({ patterns: [path], candidates }));
}

/** The flags of a command; the global ones are everywhere. */
export function flagRows({ commands }: Spec): CompletionRow[] {
  return commands
    .filter(({ flags }) => flags.length > 0)
    .map(({ id, flags }) => ({ patterns: [id], candidates: flags.flatMap(flagValues) }));
}

export function flagValues({ names, summary }: FlagSpec): Value[] {
  return names.map((value) => ({ value, label: summary }));
}

/** What follows a flag. A name means the same wherever it stands, and whatever two commands disagree on is left open. */
export function valueRows(spec: Spec): CompletionRow[] {
  const kinds = new Map<string, Kind>();
  for (const { names, takes } of allFlags(spec)) {
    if (takes === null) continue;
    for (const name of names) {
      const known = kinds.get(name);
      kinds.set(name, known === undefined || String(known) === String(takes) ? takes : 'none');
    }
  }
  return [...kinds].map(([name, kind]) => ({ patterns: [name], candidates: candidatesOf(kind, spec) }));
}

/** The flags whose value is a file. */
export function fileFlags(spec: Spec): string[] {
  return [...new Set(allFlags(spec).flatMap(({ names, takes }) => (takes === 'file' ? names : [])))];
}

/** What the first argument of a command can be. */
export function argumentRows(spec: Spec): CompletionRow[] {
  return spec.commands
    .filter(({ argument }) => argument !== 'none' && argument !== 'file')
    .map(({ id, argument }) => ({ patterns: [id], candidates: candidatesOf(argument, spec) }));
}

export function fileCommands({ commands }: Spec): string[] {
  return commands.filter(({ argument }) => argument === 'file').map(({ id }) => id);
}

function allFlags({ commands, globals }: Spec): FlagSpec[] {
  return [...globals, ...commands.flatMap(({ flags }) => flags)];
}

function candidatesOf(kind: Kind, { values }: Spec): readonly Value[] {
  if (typeof kind !== 'string') return kind.map((value) => ({ value, label: '' }));
  if (kind === 'file' || kind === 'none') return [];
  const list = values[kind];
  return kind === 'field' ? list.map(({ value, label }) => ({ value: `${value}=`, label })) : list;
}

/** In single quotes, as every one of the shells reads them. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '').replaceAll("'", '’')}'`;
}

/** The values alone, for a list of words. */
export function plain(candidates: readonly Value[]): string {
  return candidates.map(({ value }) => value).join(' ');
}

/** One line a row of a POSIX `case`. */
export function cases(
  rows: readonly CompletionRow[],
  action: (candidates: readonly Value[]) => string,
): string {
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
