/**
 * What the scripts of all shells are made of: what a path offers, which flags take a value and from where, quoting, `case` rows. Pure
 * text.
 */
import type { FlagSpec, Kind, KnownKind, Spec, Value } from './spec.js';

/** A pattern of the shell's `case`, and the candidates that belong to it. */
export interface CompletionRow {
  readonly patterns: readonly string[];
  readonly candidates: readonly Value[];
}

/** The words that may follow a path. */
export function wordRows({ words }: Spec): CompletionRow[] {
  return [...words].map(([path, candidates]) => ({ patterns: [path], candidates }));
}

/** The flags of a command, and before its words are whole those that some of them take; the other global ones are everywhere. */
export function flagRows({ commands, places, words }: Spec): CompletionRow[] {
  const before = { patterns: [...words.keys()], candidates: places.flatMap(flagValues) };
  const own = commands
    .filter(({ flags }) => flags.length > 0)
    .map(({ id, flags }) => ({ patterns: [id], candidates: flags.flatMap(flagValues) }));
  return [before, ...own];
}

export function flagValues({ names, summary }: FlagSpec): Value[] {
  return names.map((value) => ({ value, label: summary }));
}

/** What follows a flag that takes the same in every command. */
export function valueRows(spec: Spec): CompletionRow[] {
  return [...kindsOf(allFlags(spec))].flatMap(([name, kinds]) =>
    kinds.length === 1 ? [{ patterns: [name], candidates: candidatesOf(kinds[0] ?? 'none', spec) }] : [],
  );
}

/** What follows a flag that takes another thing in another command: behind the words of the command, and a space. */
export function ownValueRows(spec: Spec): CompletionRow[] {
  const kinds = kindsOf(allFlags(spec));
  return spec.commands.flatMap(({ id, flags }) =>
    flags.flatMap(({ names, takes }) =>
      takes !== null && names.some((name) => (kinds.get(name)?.length ?? 0) > 1)
        ? [{ patterns: names.map((name) => `${id} ${name}`), candidates: candidatesOf(takes, spec) }]
        : [],
    ),
  );
}

/** Every flag with a value behind it. */
export function valueFlags(spec: Spec): string[] {
  return [...kindsOf(allFlags(spec)).keys()];
}

/** What each flag takes, wherever it stands. */
function kindsOf(flags: readonly FlagSpec[]): Map<string, Kind[]> {
  const kinds = new Map<string, Kind[]>();
  for (const { names, takes } of flags) {
    if (takes === null) continue;
    for (const name of names) {
      const known = kinds.get(name) ?? [];
      if (!known.some((kind) => String(kind) === String(takes))) kinds.set(name, [...known, takes]);
    }
  }
  return kinds;
}

/** The flags whose value is a file. */
export function fileFlags(spec: Spec): string[] {
  return [...new Set(allFlags(spec).flatMap(({ names, takes }) => (takes === 'file' ? names : [])))];
}

/** What the first argument of a command can be. */
export function argumentRows(spec: Spec): CompletionRow[] {
  return spec.commands
    .filter(({ argument }) => argument !== 'none' && argument !== 'file' && !isKnown(argument))
    .map(({ id, argument }) => ({ patterns: [id], candidates: candidatesOf(argument, spec) }));
}

const isKnown = (kind: Kind): boolean => kind === 'operation' || kind === 'batch';

/** The commands whose first argument is something that this machine knows, by what is asked for. */
export function knownRows({ commands }: Spec): [kind: KnownKind, ids: string[]][] {
  const rows = new Map<KnownKind, string[]>();
  for (const { id, argument } of commands) {
    const kind = isKnown(argument) ? knownKind(id, argument) : null;
    if (kind !== null) rows.set(kind, [...(rows.get(kind) ?? []), id]);
  }
  return [...rows];
}

/** What changes an operation is done to one that is not final. */
function knownKind(id: string, argument: Kind): KnownKind {
  if (argument === 'batch') return 'batches';
  const [noun = '', verb = ''] = id.split(' ');
  if (noun !== 'payins' && noun !== 'payouts') return 'operations';
  return verb === 'get' ? noun : `pending-${noun}`;
}

export function fileCommands({ commands }: Spec): string[] {
  return commands.filter(({ argument }) => argument === 'file').map(({ id }) => id);
}

function allFlags({ commands, globals }: Spec): FlagSpec[] {
  return [...globals, ...commands.flatMap(({ flags }) => flags)];
}

function candidatesOf(kind: Kind, { values }: Spec): readonly Value[] {
  if (typeof kind !== 'string') return kind.map((value) => ({ value, label: '' }));
  if (kind === 'file' || kind === 'none' || kind === 'operation' || kind === 'batch') return [];
  const list = values[kind];
  return kind === 'payin-field' || kind === 'payout-field'
    ? list.map(({ value, label }) => ({ value: `${value}=`, label }))
    : list;
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
  const takesValue = valueFlags(spec);
  const paths = pathsOf(spec);
  return `  while [ "$at" -lt "$count" ]; do
    word=\${words[$at]}; at=$((at + 1))
    case "$word" in
    ${takesValue.join('|')}) at=$((at + 1)); continue ;;
    -*) continue ;;
    esac
    case "$svc_path" in ''|help) case "$word" in
${singulars(spec)}
    esac ;; esac
    case "\${svc_path:+$svc_path }$word" in
    ${paths.map(quoted).join('|')}) svc_path="\${svc_path:+$svc_path }$word" ;;
    *) svc_rest=1 ;;
    esac
  done`;
}

function singulars({ plurals }: Spec): string {
  return [...plurals].map(([one, many]) => `    ${one}) word=${many} ;;`).join('\n');
}
