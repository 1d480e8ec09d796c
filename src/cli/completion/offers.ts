/** What may stand where a command line is completed. Pure. */
import type { CommandSpec, Kind, KnownKind, Spec, Value } from './spec.js';

export interface Offers {
  readonly candidates: readonly Value[];
  /** The names of files too, which the shell knows best. */
  readonly files: boolean;
}

/**
 * @param words behind `svc`, the last one as far as it is typed
 * @param known what this machine knows of that kind
 */
export function offersFor(
  words: readonly string[],
  spec: Spec,
  known: (kind: KnownKind) => readonly Value[],
): Offers {
  const [before, current] = [words.slice(0, -1), words.at(-1) ?? ''];
  const { path, command, hasArgument } = placeOf(before, spec);
  const [, assigned = ''] = /^(bank_code|--[^=]+)=/.exec(current) ?? [];
  if (assigned === 'bank_code') return behind('bank_code=', ofValues(spec.values.bank));
  const flag = assigned === '' ? (before.at(-1) ?? '') : assigned;
  const taken = flag.startsWith('-') ? takenBy(flag, command, spec) : null;
  if (taken !== null) return behind(assigned === '' ? '' : `${assigned}=`, ofKind(taken, spec));
  if (current.startsWith('-')) {
    // Before the command is whole those that some commands take.
    const flags = [...spec.globals, ...(command?.flags ?? spec.places)];
    return ofValues(flags.flatMap(({ names, summary }) => names.map((value) => ({ value, label: summary }))));
  }
  if (hasArgument) return ofValues([]);
  const { id = '', argument = 'none' } = command ?? {};
  const kind = argument === 'batch' ? 'batches' : argument === 'operation' ? operationsOf(id) : null;
  const { candidates, files } = kind === null ? ofKind(argument, spec) : ofValues(known(kind));
  return { candidates: [...(spec.words.get(path) ?? []), ...candidates], files };
}

/**
 * Where the line stands: the words of ours that were typed, as they are spelled in full; their command; and whether something stands
 * behind them that is no word of ours.
 */
function placeOf(words: readonly string[], spec: Spec) {
  let [path, command, hasArgument]: [string, CommandSpec | undefined, boolean] = ['', undefined, false];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word.startsWith('-')) {
      if (takenBy(word, command, spec) !== null) at += 1;
      continue;
    }
    const isFirst = path === '' || path === 'help';
    const longer = `${path} ${isFirst ? (spec.plurals.get(word) ?? word) : word}`.trimStart();
    const next = spec.commands.find(({ id }) => id === longer);
    if (next === undefined && !spec.words.has(longer)) hasArgument = true;
    else [path, command] = [longer, next];
  }
  return { path, command, hasArgument };
}

/** What stands behind a flag: as its command has it, else as any has it. Null for a switch, and what is no flag of ours. */
function takenBy(name: string, command: CommandSpec | undefined, spec: Spec): Kind | null {
  const own = [...(command?.flags ?? []), ...spec.globals, ...spec.places];
  const flags = [...own, ...spec.commands.flatMap(({ flags: others }) => others)];
  return flags.find(({ names }) => names.includes(name))?.takes ?? null;
}

/** What changes an operation is done to one that is not final. */
function operationsOf(id: string): KnownKind {
  const [noun = '', verb = ''] = id.split(' ');
  if (noun !== 'payins' && noun !== 'payouts') return 'operations';
  return verb === 'get' ? noun : `pending-${noun}`;
}

function ofKind(kind: Kind, { values }: Spec): Offers {
  if (typeof kind !== 'string') return ofValues(kind.map((value) => ({ value, label: '' })));
  if (kind === 'file') return { candidates: [], files: true };
  if (kind === 'none' || kind === 'operation' || kind === 'batch') return ofValues([]);
  const isField = kind === 'payin-field' || kind === 'payout-field';
  return ofValues(values[kind].map(({ value, label }) => ({ value: isField ? `${value}=` : value, label })));
}

function ofValues(candidates: readonly Value[]): Offers {
  return { candidates, files: false };
}

function behind(prefix: string, { candidates, files }: Offers): Offers {
  return { candidates: candidates.map(({ value, label }) => ({ value: prefix + value, label })), files };
}
