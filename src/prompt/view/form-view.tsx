/** A form: what was answered, the question, and what is wrong with its answer so far. */
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { shownDraft, type FormState } from '../form.js';
import { Words } from './words.js';

export function FormView({ state }: { readonly state: FormState }): ReactElement {
  const { fields, at, answers, problem, end } = state;
  const field = fields[at];
  const answered = end === 'finished' ? fields : fields.slice(0, at);
  return (
    <Box flexDirection="column">
      {answered.map(({ name, label, isSecret }) => (
        <Words key={name} tone="faint" text={`${label}: ${shown(answers[name] ?? '', isSecret)}`} />
      ))}
      {field === undefined || end !== null ? null : (
        <>
          <Words tone="strong" text={field.label} />
          <Words tone="accent" text={`> ${shownDraft(state)}`} />
          {problem === null ? <Words tone="faint" text={field.hint} /> : <Words tone="bad" text={problem} />}
          <Words tone="faint" text="Enter: next. Up: back. Esc: leave." />
        </>
      )}
    </Box>
  );
}

function shown(value: string, isSecret: boolean): string {
  if (value === '') return 'none';
  return isSecret ? 'typed' : value;
}
