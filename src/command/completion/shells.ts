import type { Offers } from './offers.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const FILES_LINE = ':files';

export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of svc for bash: source <(svc completion bash)
# Nothing is offered that the shell would evaluate again: the name of a file may contain a command.
_svc() {
  local cur=\${COMP_WORDS[COMP_CWORD]} word filenames=''
  COMPREPLY=()
  while IFS= read -r word; do
    if [ "$word" = '${FILES_LINE}' ]; then
      compopt -o filenames 2>/dev/null && filenames=1
      while IFS= read -r word; do
        [ -n "$filenames" ] || printf -v word %q "$word"
        COMPREPLY+=("$word")
      done < <(compgen -f -- "\${cur#=}")
    else
      printf -v word %q "$word"
      COMPREPLY+=("$word")
    fi
  done < <(command svc complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case "\${COMPREPLY[0]}" in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -F _svc svc
`,
  zsh: `#compdef svc
# Completion of svc for zsh: source <(svc completion zsh), after compinit
_svc() {
  local -a list suffix
  local one
  while IFS= read -r one; do
    if [[ $one == ${FILES_LINE} ]]; then _files && return; fi
    list+=("$one")
  done < <(command svc complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#list} )) || return 1
  [[ \${list[1]%%:*} == *= ]] && suffix=(-S '')
  _describe svc list $suffix
}
compdef _svc svc
# Where zsh has loaded this as the function itself.
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; fi
`,
  fish: `# Completion of svc for fish: svc completion fish | source
function __svc_candidates
    set -l cur (commandline -ct)
    set -l words (commandline -opc) "$cur"
    for line in (command svc complete fish -- $words[2..] 2>/dev/null)
        if test "$line" = ${FILES_LINE}
            __fish_complete_path "$cur"
        else
            echo -- $line
        end
    end
end
complete -c svc -f -a '(__svc_candidates)'
`,
};

/** Joins words that bash has split at `=` and `:`. */
export function joinWords(
  shell: Shell,
  pieces: readonly string[],
): { words: readonly string[]; keptLength: number } {
  if (shell !== 'bash') return { words: pieces, keptLength: 0 };
  const words: string[] = [];
  let isUnfinished = false;
  for (const piece of pieces) {
    const isBreak = piece === '=' || piece === ':';
    const previousWord = isBreak || isUnfinished ? words.pop() : undefined;
    words.push(`${previousWord ?? ''}${piece}`);
    isUnfinished = isBreak;
  }
  const [lastWord = '', lastPiece = ''] = [words.at(-1), pieces.at(-1)];
  return { words, keptLength: isUnfinished ? lastWord.length : lastWord.length - lastPiece.length };
}

export function offersText(
  shell: Shell,
  { candidates, hasFiles }: Offers,
  current: string,
  keptLength: number,
): string {
  const lines = candidates.flatMap(({ value, label }) => {
    if (shell === 'bash') return value.startsWith(current) ? [value.slice(keptLength)] : [];
    const [name, separator] = shell === 'zsh' ? [value.replaceAll(':', '\\:'), ':'] : [value, '\t'];
    return [label === '' ? name : `${name}${separator}${label}`];
  });
  return [...lines, ...(hasFiles ? [FILES_LINE] : [])].map((line) => `${line}\n`).join('');
}
