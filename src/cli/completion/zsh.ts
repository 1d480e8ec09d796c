/** The completion script of zsh. Pure text. */
import { cases, posixPath, quoted } from './script.js';
import type { Spec, Value } from './spec.js';
import { argumentRows, fileCommands, fileFlags, flagRows, flagValues, valueRows, wordRows } from './table.js';

export function renderZsh(spec: Spec): string {
  const described = (candidates: readonly Value[]): string =>
    candidates.map(({ value, label }) => quoted(label === '' ? value : `${value}:${label}`)).join(' ');
  const set = (candidates: readonly Value[]): string => `list=(${described(candidates)})`;
  return `#compdef svc
# Completion of svc for zsh: source <(svc completion zsh), after compinit
_svc() {
  setopt local_options ksh_arrays sh_word_split
  local cur="\${words[$((CURRENT - 1))]}" prev="\${words[$((CURRENT - 2))]}" svc_path='' svc_rest='' word='' takes='' suffix=''
  local -a list
  local count=$((CURRENT - 1)) at=1
  case "$cur" in
    bank_code=*) prev=bank_code; compset -P '*=' ;;
    --*=*) prev="\${cur%%=*}"; compset -P '*=' ;;
  esac
  case "$prev" in
    bank_code) ${set(spec.values.bank)}; takes=1 ;;
    ${fileFlags(spec).join('|')}) unsetopt ksh_arrays sh_word_split; _files; return ;;
${cases(valueRows(spec), (candidates) => `${set(candidates)}; takes=1`)}
  esac
  case "$takes\${list[0]%%:*}" in 1*=) suffix=none ;; esac
  if [ -z "$takes" ]; then
${posixPath(spec)}
    case "$cur" in
    -*)
      ${set(spec.globals.flatMap(flagValues))}
      case "$svc_path" in
${cases(flagRows(spec), (candidates) => `list+=(${described(candidates)})`)}
      esac ;;
    *)
      if [ -z "$svc_rest" ]; then
        case "$svc_path" in
${cases(wordRows(spec), set)}
        esac
        case "$svc_path" in
${cases(argumentRows(spec), set)}
    ${fileCommands(spec).map(quoted).join('|') || "'?'"}) unsetopt ksh_arrays sh_word_split; _files; return ;;
        esac
      fi ;;
    esac
  fi
  unsetopt ksh_arrays sh_word_split
  (( \${#list} )) || return 1
  if [[ -n $suffix ]]; then _describe svc list -S ''; else _describe svc list; fi
}
compdef _svc svc
`;
}
