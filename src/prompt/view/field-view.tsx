/** One question: what was answered before, what is typed now and whether it is right so far, or a list to choose from. */
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { State, Step } from '../dialogue.js';
import { optionsOf, questionAt } from '../fields-step.js';
import { questionsOf } from '../questions.js';
import { meant } from '../question.js';
import { answerText, numbered } from '../wording.js';
import { ChoiceView } from './choice-view.js';
import { Words } from './words.js';

type Fields = Extract<Step, { step: 'fields' }>;

export function FieldView({ state, step }: { readonly state: State; readonly step: Fields }): ReactElement {
  const question = questionAt(state, step);
  const questions = questionsOf(state);
  if (question === null) return <Words text="Nothing is left to ask." />;
  const options = optionsOf(question, step);
  const { text, cursor, marked } = step.draft;
  const isRight = options === null && question.accepts(meant(question, text));
  const hint =
    options === null
      ? 'Enter or down: next. Up: back. Esc: leave.'
      : 'Up and down: choose. Enter: next. Left: back. Type to filter. Esc: leave.';
  return (
    <Box flexDirection="column">
      {questions.slice(0, step.at).map((answered) => (
        <Words
          key={answered.path}
          tone="faint"
          text={`${answered.label}: ${answerText(answered, state.answers)}`}
        />
      ))}
      <Words tone="strong" text={numbered(state, step.at)} />
      <Box>
        <Words tone="accent" text="> " />
        <Words text={`${text.slice(0, cursor)}_${text.slice(cursor)}`} />
        {text === '' && question.example !== null ? (
          <Words tone="faint" text={` ${question.example}`} />
        ) : null}
        {isRight ? <Words tone="good" text=" ok" /> : null}
      </Box>
      {options === null ? null : <ChoiceView options={options} marked={marked} />}
      {options === null && !isRight && text !== '' && step.problem === null ? (
        <Words tone="faint" text={question.rule} />
      ) : null}
      {step.problem === null ? null : <Words tone="bad" text={step.problem} />}
      <Words tone="faint" text={hint} />
    </Box>
  );
}
