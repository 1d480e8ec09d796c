import type { CommandSpec, OfferKind, StoredKind, LineSpec, Candidate } from './spec.js';

export interface Offers {
  readonly candidates: readonly Candidate[];
  readonly hasFiles: boolean;
}

export function offersFor(
  words: readonly string[],
  spec: LineSpec,
  storedValuesOf: (kind: StoredKind) => readonly Candidate[],
): Offers {
  const [previousWords, currentWord] = [words.slice(0, -1), words.at(-1) ?? ''];
  const { path, command, hasArgument } = readPosition(previousWords, spec);
  const [, assignedName = ''] = /^(bank_code|--[^=]+)=/.exec(currentWord) ?? [];
  if (assignedName === 'bank_code') return withPrefix('bank_code=', offersOf(spec.values.bank));
  const flag = assignedName === '' ? (previousWords.at(-1) ?? '') : assignedName;
  const valueKind = flag.startsWith('-') ? valueKindOf(flag, command, spec) : null;
  if (valueKind !== null)
    return withPrefix(assignedName === '' ? '' : `${assignedName}=`, offersOfKind(valueKind, spec));
  if (currentWord.startsWith('-')) {
    const flags = [...spec.globals, ...(command?.flags ?? spec.placeFlags)];
    return offersOf(flags.flatMap(({ names, summary }) => names.map((value) => ({ value, label: summary }))));
  }
  if (hasArgument) return offersOf([]);
  const { id = '', argument = 'none' } = command ?? {};
  const kind = argument === 'batch' ? 'batches' : argument === 'operation' ? operationsOf(id) : null;
  const { candidates, hasFiles } =
    kind === null ? offersOfKind(argument, spec) : offersOf(storedValuesOf(kind));
  return { candidates: [...(spec.words.get(path) ?? []), ...candidates], hasFiles };
}

function readPosition(words: readonly string[], spec: LineSpec) {
  let [path, command, hasArgument]: [string, CommandSpec | undefined, boolean] = ['', undefined, false];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word.startsWith('-')) {
      if (valueKindOf(word, command, spec) !== null) at += 1;
      continue;
    }
    const isFirst = path === '' || path === 'help';
    const longerPath = `${path} ${isFirst ? (spec.plurals.get(word) ?? word) : word}`.trimStart();
    const nextCommand = spec.commands.find(({ id }) => id === longerPath);
    if (nextCommand === undefined && !spec.words.has(longerPath)) hasArgument = true;
    else [path, command] = [longerPath, nextCommand];
  }
  return { path, command, hasArgument };
}

function valueKindOf(name: string, command: CommandSpec | undefined, spec: LineSpec): OfferKind | null {
  const commandFlags = [...(command?.flags ?? []), ...spec.globals, ...spec.placeFlags];
  const flags = [...commandFlags, ...spec.commands.flatMap(({ flags: itsFlags }) => itsFlags)];
  return flags.find(({ names }) => names.includes(name))?.takes ?? null;
}

function operationsOf(id: string): StoredKind {
  const [noun = '', verb = ''] = id.split(' ');
  if (noun !== 'payins' && noun !== 'payouts') return 'operations';
  return verb === 'get' ? noun : `pending-${noun}`;
}

function offersOfKind(kind: OfferKind, { values }: LineSpec): Offers {
  if (typeof kind !== 'string') return offersOf(kind.map((value) => ({ value, label: '' })));
  if (kind === 'file') return { candidates: [], hasFiles: true };
  if (kind === 'none' || kind === 'operation' || kind === 'batch') return offersOf([]);
  const isField = kind === 'payin-field' || kind === 'payout-field';
  return offersOf(values[kind].map(({ value, label }) => ({ value: isField ? `${value}=` : value, label })));
}

function offersOf(candidates: readonly Candidate[]): Offers {
  return { candidates, hasFiles: false };
}

function withPrefix(prefix: string, { candidates, hasFiles }: Offers): Offers {
  return { candidates: candidates.map(({ value, label }) => ({ value: prefix + value, label })), hasFiles };
}
