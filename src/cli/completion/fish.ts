/** The completion script of fish. Pure text. */
import {
  argumentRows,
  fileCommands,
  fileFlags,
  flagRows,
  flagValues,
  knownRows,
  ownValueRows,
  pathsOf,
  quoted,
  type CompletionRow,
  valueFlags,
  valueRows,
  wordRows,
} from './script.js';
import type { Spec, Value } from './spec.js';

export function renderFish(spec: Spec): string {
  const lines = (candidates: readonly Value[]): string =>
    `printf '%s\\t%s\\n' ${candidates.map(({ value, label }) => `${quoted(value)} ${quoted(label)}`).join(' ')}`;
  const block = (rows: readonly CompletionRow[], indent: string): string =>
    rows
      .filter(({ candidates }) => candidates.length > 0)
      .map(
        ({ patterns, candidates }) =>
          `${indent}case ${patterns.map(quoted).join(' ')}\n${indent}    ${lines(candidates)}`,
      )
      .join('\n');
  const takesValue = valueFlags(spec);
  const paths = pathsOf(spec);
  const plurals = [...spec.plurals].map(
    ([one, many]) => `                case ${one}\n                    set word ${many}`,
  );
  const known = knownRows(spec).map(
    ([kind, ids]) =>
      `        case ${ids.map(quoted).join(' ')}\n            command svc completion fish --known ${kind} 2>/dev/null`,
  );
  return `# Completion of svc for fish: svc completion fish | source
function __svc_candidates
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -l prev $words[-1]
    set -l svc_path ''
    set -l rest
    if string match -q 'bank_code=*' -- $cur
        for line in (${lines(spec.values.bank)})
            echo "bank_code=$line"
        end
        return
    end
    if string match -q -- '--*=*' $cur
        set prev (string split -m 1 = -- $cur)[1]
    end
    switch $prev
        case ${fileFlags(spec).join(' ')}
            __fish_complete_path $cur
            return
${valueRows(spec)
  .map(
    ({ patterns, candidates }) =>
      `        case ${patterns.map(quoted).join(' ')}\n${candidates.length === 0 ? '' : `            ${lines(candidates)}\n`}            return`,
  )
  .join('\n')}
    end
    set -l skip
    for word in $words[2..]
        if set -q skip[1]
            set skip
            continue
        end
        switch $word
            case ${takesValue.join(' ')}
                set skip 1
                continue
            case '-*'
                continue
        end
        if contains -- "$svc_path" '' help
            switch $word
${plurals.join('\n')}
            end
        end
        set -l longer (string trim "$svc_path $word")
        switch $longer
            case ${paths.map(quoted).join(' ')}
                set svc_path $longer
            case '*'
                set rest 1
        end
    end
    switch "$svc_path $prev"
${ownValueRows(spec)
  .map(
    ({ patterns, candidates }) =>
      `        case ${patterns.map(quoted).join(' ')}\n            ${lines(candidates)}\n            return`,
  )
  .join('\n')}
    end
    if string match -q -- '-*' $cur
        ${lines(spec.globals.flatMap(flagValues))}
        switch $svc_path
${block(flagRows(spec), '            ')}
        end
        return
    end
    set -q rest[1]; and return
    switch $svc_path
${known.join('\n')}
    end
    switch $svc_path
${block(wordRows(spec), '        ')}
    end
    switch $svc_path
${block(argumentRows(spec), '        ')}
${fileCommands(spec).length === 0 ? '' : `        case ${fileCommands(spec).map(quoted).join(' ')}\n            __fish_complete_path $cur`}
    end
end
complete -c svc -f -a '(__svc_candidates)'
`;
}
