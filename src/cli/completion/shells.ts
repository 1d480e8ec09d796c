/** The completion scripts of bash and zsh, which read a line in the same way, and the choice among all shells. Pure text. */
import { renderFish } from './fish.js';
import {
  argumentRows,
  cases,
  fileCommands,
  fileFlags,
  flagRows,
  flagValues,
  knownRows,
  ownValueRows,
  plain,
  posixPath,
  quoted,
  valueRows,
  wordRows,
} from './script.js';
import type { KnownKind, Spec, Value } from './spec.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const RENDERERS: Readonly<Record<Shell, (spec: Spec) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

export function renderCompletion(shell: Shell, spec: Spec): string {
  return RENDERERS[shell](spec);
}

/** What this machine knows, a line each, as the script of that shell takes it. */
export function renderKnown(shell: Shell, known: readonly Value[]): string {
  const separator = { bash: null, zsh: ':', fish: '\t' }[shell];
  return known
    .map(({ value, label }) => (separator === null ? value : `${value}${separator}${label}`) + '\n')
    .join('');
}

function renderBash(spec: Spec): string {
  const set = (candidates: readonly Value[]): string => `list=${quoted(plain(candidates))}`;
  return `# Completion of svc for bash: source <(svc completion bash)
# Nothing is offered that the shell would evaluate again: the name of a file may contain a command.
_svc_files() {
  local name filenames=''
  compopt -o filenames 2>/dev/null && filenames=1
  while IFS= read -r name; do
    [ -n "$filenames" ] || printf -v name %q "$name"
    COMPREPLY+=("$name")
  done < <(compgen -f -- "$cur")
}
_svc() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} list='' svc_path='' svc_rest='' word=''
  local words=("\${COMP_WORDS[@]}") count=$COMP_CWORD at=1 takes=''
  COMPREPLY=()
  # bash breaks words at "=": the flag or the path before it is what counts.
  [ "$cur" = '=' ] && cur='' && prev='='
  [ "$prev" = '=' ] && prev=\${COMP_WORDS[COMP_CWORD-2]} && [ -z "$cur" ] && [ "\${COMP_WORDS[COMP_CWORD]}" = '=' ] && prev=\${COMP_WORDS[COMP_CWORD-1]}
${posixPath(spec)}
  case "$svc_path $prev" in
${cases(ownValueRows(spec), (candidates) => `${set(candidates)}; takes=1`)}
  esac
  case "$prev" in
    bank_code) list=${quoted(plain(spec.values.bank))}; takes=1 ;;
    ${fileFlags(spec).join('|')}) _svc_files; return ;;
${cases(valueRows(spec), (candidates) => `${set(candidates)}; takes=1`)}
  esac
  if [ -z "$takes" ]; then
    case "$cur" in
    -*)
      list=${quoted(plain(spec.globals.flatMap(flagValues)))}
      case "$svc_path" in
${cases(flagRows(spec), (candidates) => `list="$list ${plain(candidates)}"`)}
      esac ;;
    *)
${wordsAt(spec, set, '_svc_files', (kind) => `list=$(command svc completion bash --known ${kind} 2>/dev/null)`)}
    esac
  fi
  while IFS= read -r word; do
    printf -v word %q "$word"; COMPREPLY+=("$word")
  done < <(compgen -W "$list" -- "$cur")
  case "\${COMPREPLY[0]}" in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -F _svc svc
`;
}

/** What stands where a word without a dash is typed: verbs of a topic, arguments, and names of files by that command of the shell. */
function wordsAt(
  spec: Spec,
  set: (candidates: readonly Value[]) => string,
  files: string,
  ask: (kind: KnownKind) => string,
): string {
  const known = knownRows(spec).map(([kind, ids]) => `    ${ids.map(quoted).join('|')}) ${ask(kind)} ;;`);
  return `      if [ -z "$svc_rest" ]; then
        case "$svc_path" in
${cases(wordRows(spec), set)}
        esac
        case "$svc_path" in
${cases(argumentRows(spec), set)}
${known.join('\n')}
    ${fileCommands(spec).map(quoted).join('|') || "'?'"}) ${files}; return ;;
        esac
      fi ;;`;
}

function renderZsh(spec: Spec): string {
  const described = (candidates: readonly Value[]): string =>
    candidates.map(({ value, label }) => quoted(label === '' ? value : `${value}:${label}`)).join(' ');
  const set = (candidates: readonly Value[]): string => `list=(${described(candidates)})`;
  return `#compdef svc
# Completion of svc for zsh: source <(svc completion zsh), after compinit
_svc_known() {
  local one
  while IFS= read -r one; do list+=("$one"); done < <(command svc completion zsh --known "$1" 2>/dev/null)
}
_svc() {
  setopt local_options ksh_arrays sh_word_split
  local cur="\${words[$((CURRENT - 1))]}" prev="\${words[$((CURRENT - 2))]}" svc_path='' svc_rest='' word='' takes='' suffix=''
  local -a list
  local count=$((CURRENT - 1)) at=1
  case "$cur" in
    bank_code=*) prev=bank_code; compset -P '*=' ;;
    --*=*) prev="\${cur%%=*}"; compset -P '*=' ;;
  esac
${posixPath(spec)}
  case "$svc_path $prev" in
${cases(ownValueRows(spec), (candidates) => `${set(candidates)}; takes=1`)}
  esac
  case "$prev" in
    bank_code) ${set(spec.values.bank)}; takes=1 ;;
    ${fileFlags(spec).join('|')}) unsetopt ksh_arrays sh_word_split; _files; return ;;
${cases(valueRows(spec), (candidates) => `${set(candidates)}; takes=1`)}
  esac
  case "$takes\${list[0]%%:*}" in 1*=) suffix=none ;; esac
  if [ -z "$takes" ]; then
    case "$cur" in
    -*)
      ${set(spec.globals.flatMap(flagValues))}
      case "$svc_path" in
${cases(flagRows(spec), (candidates) => `list+=(${described(candidates)})`)}
      esac ;;
    *)
${wordsAt(spec, set, 'unsetopt ksh_arrays sh_word_split; _files', (kind) => `_svc_known ${kind}`)}
    esac
  fi
  unsetopt ksh_arrays sh_word_split
  (( \${#list} )) || return 1
  if [[ -n $suffix ]]; then _describe svc list -S ''; else _describe svc list; fi
}
compdef _svc svc
`;
}
