/** The completion script of bash. Pure text. */
import { cases, plain, posixPath, quoted } from './script.js';
import type { Spec, Value } from './spec.js';
import { argumentRows, fileCommands, fileFlags, flagRows, flagValues, valueRows, wordRows } from './table.js';

export function renderBash(spec: Spec): string {
  const set = (candidates: readonly Value[]): string => `list=${quoted(plain(candidates))}`;
  return `# Completion of svc for bash: source <(svc completion bash)
# Nothing is offered that the shell would read anew: a name of a file may hold what is a command.
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
  case "$prev" in
    bank_code) list=${quoted(plain(spec.values.bank))}; takes=1 ;;
    ${fileFlags(spec).join('|')}) _svc_files; return ;;
${cases(valueRows(spec), (candidates) => `${set(candidates)}; takes=1`)}
  esac
  if [ -z "$takes" ]; then
${posixPath(spec)}
    case "$cur" in
    -*)
      list=${quoted(plain(spec.globals.flatMap(flagValues)))}
      case "$svc_path" in
${cases(flagRows(spec), (candidates) => `list="$list ${plain(candidates)}"`)}
      esac ;;
    *)
      if [ -z "$svc_rest" ]; then
        case "$svc_path" in
${cases(wordRows(spec), set)}
        esac
        case "$svc_path" in
${cases(argumentRows(spec), set)}
    ${fileCommands(spec).map(quoted).join('|') || "'?'"}) _svc_files; return ;;
        esac
      fi ;;
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
