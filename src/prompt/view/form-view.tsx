/** A form: what was answered, the question, and what is wrong with its answer so far. */
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { shownDraft, type FormField, type FormState } from '../form.js';
import { Words } from './words.js';

export function FormView({ state }: { readonly state: FormState }): ReactElement {
  const { fields, at, answers, problem, end } = state;
  const field = fields[at];
  const asked = fields.filter(({ isAsked }) => isAsked?.(answers) !== false);
  const answered = end === 'finished' ? asked : asked.filter((one) => fields.indexOf(one) < at);
  return (
    <Box flexDirection="column">
      {answered.map((one) => (
        <Words key={one.name} tone="faint" text={`${one.label}: ${shown(answers[one.name] ?? '', one)}`} />
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

function shown(value: string, { isSecret, empty = 'none' }: FormField): string {
  if (value === '') return empty;
  return isSecret ? 'typed' : value;
}
