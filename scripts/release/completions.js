/**
 * Completions as a package manager installs them: each asks the installed program once a shell, when something of it is completed for the
 * first time, and so knows the profiles and the catalog of the user. Nothing has to stand in anybody's profile.
 */

/** By shell. @type {Readonly<Record<'bash' | 'zsh' | 'fish', string>>} */
export const COMPLETIONS = {
  bash: `# Completion of svc for bash, loaded when svc is completed for the first time.
eval "$(command svc completion bash 2> /dev/null)"
`,
  zsh: `#compdef svc
# Completion of svc for zsh, loaded when svc is completed for the first time: what it prints defines _svc again.
eval "$(command svc completion zsh 2> /dev/null)"
(( $+functions[_svc] )) && [[ $functions[_svc] != *'command svc completion zsh'* ]] && _svc "$@"
`,
  fish: `# Completion of svc for fish, loaded when svc is completed for the first time.
command svc completion fish 2> /dev/null | source
`,
};
