/** The steps at which something is typed: one question, as a text or a list to choose from, and the code with its countdown. */
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { countdown } from '../../contract/on-screen.js';
import { codeLeftMs } from '../code-step.js';
import type { State, Step } from '../dialogue.js';
import { LIST_ROWS, optionsOf, questionAt } from '../fields-step.js';
import { meant, type Option } from '../question.js';
import { questionsOf } from '../questions.js';
import { answerText, numbered } from '../wording.js';
import { Words } from './screen.js';

type Fields = Extract<Step, { step: 'fields' }>;

export function FieldView({ state, step }: { readonly state: State; readonly step: Fields }): ReactElement {
  const question = questionAt(state, step);
  const questions = questionsOf(state);
  if (question === null) return <Words text="There are no more questions." />;
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

/** A window around the marked option. */
function ChoiceView({
  options,
  marked,
}: {
  readonly options: readonly Option[];
  readonly marked: number;
}): ReactElement {
  const first = Math.max(0, Math.min(marked - LIST_ROWS + 2, options.length - LIST_ROWS));
  const shown = options.slice(first, first + LIST_ROWS);
  const more = options.length - shown.length;
  return (
    <Box flexDirection="column">
      {shown.map(({ value, label }, at) => (
        <Words
          key={value}
          tone={first + at === marked ? 'accent' : 'plain'}
          text={`${first + at === marked ? '>' : ' '} ${`${value}  ${label}`.trimEnd()}`}
        />
      ))}
      {options.length === 0 ? <Words tone="faint" text="  (no match)" /> : null}
      {more > 0 ? <Words tone="faint" text={`  (${String(more)} more)`} /> : null}
    </Box>
  );
}

type Code = Extract<Step, { step: 'code' }>;

/** Less than this and the countdown warns. */
const SOON_MS = 60_000;

/** How many more codes can be asked for, and what a wrong one does. */
export function CodeView({ state, step }: { readonly state: State; readonly step: Code }): ReactElement {
  const leftMs = codeLeftMs(state);
  const isOver = leftMs === 0;
  const time =
    leftMs === null
      ? 'The payer has a code.'
      : isOver
        ? 'The code has expired.'
        : `The payer has a code: ${countdown(leftMs)} left.`;
  const mark = (focus: Code['focus']): string => (step.focus === focus ? '> ' : '  ');
  const resends = state.resendsLeft === 0 ? 'none left' : `${String(state.resendsLeft)} left`;
  return (
    <Box flexDirection="column">
      <Words tone={isOver || (leftMs !== null && leftMs < SOON_MS) ? 'warn' : 'strong'} text={time} />
      {state.setting.codeHint === null ? null : <Words tone="faint" text={state.setting.codeHint} />}
      <Words tone="warn" text="One wrong code ends this pay-in: check it before Enter." />
      <Words
        tone={step.focus === 'code' ? 'accent' : 'plain'}
        text={`${mark('code')}Code: ${step.text}${step.focus === 'code' ? '_' : ''}`}
      />
      <Words
        tone={step.focus === 'resend' ? 'accent' : 'plain'}
        text={`${mark('resend')}Send a new code (${resends})`}
      />
      <Words
        tone={step.focus === 'leave' ? 'accent' : 'plain'}
        text={`${mark('leave')}Leave: the pay-in stays open`}
      />
      {step.notice === null ? null : <Words tone="bad" text={step.notice} />}
      <Words tone="faint" text="Enter: select. Up and down: choose." />
      <Words tone="faint" text={`Later: ${resumeOf(state)}`} />
    </Box>
  );
}

function resumeOf({ operation }: State): string {
  return operation?.resumeCommand ?? '';
}
