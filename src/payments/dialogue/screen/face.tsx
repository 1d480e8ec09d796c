import { Spinner } from '@inkjs/ui';
import { Box, Static } from 'ink';
import type { ReactElement } from 'react';
import type { End, State, Step, StepOf } from '../dialogue.js';
import { drive, type DriveOptions } from '../loop.js';
import { App, openScreen, type ScreenOptions, Words } from './screen.js';
import {
  AMOUNT_LABEL,
  callText,
  summaryRows,
  summaryTitle,
  nextStepText,
  answerText,
  numberedLabel,
} from '../wording.js';
import { countdown } from '../../../contract/on-screen.js';
import { remainingCodeMs } from '../code-step.js';
import { LIST_ROWS, optionsOf, questionAt } from '../fields-step.js';
import { intendedValue, type Option, questionsOf } from '../questions.js';

export function runFlow(options: DriveOptions & ScreenOptions): Promise<End> {
  return drive(options, (firstState, tell) => {
    const element = (state: typeof firstState) => (
      <App theme={options} send={tell}>
        <FlowView state={state} />
      </App>
    );
    const screen = openScreen(element(firstState), options);
    return {
      show: (state) => screen.rerender(element(state)),
      whenShown: () => screen.waitUntilRenderFlush(),
      close: async () => {
        screen.unmount();
        await screen.waitUntilExit();
      },
    };
  });
}

export function FlowView({ state }: { readonly state: State }): ReactElement {
  const { log, step, setting } = state;
  const lines = log.map((line, at) => ({ line, key: String(at) }));
  return (
    <Box flexDirection="column">
      <Static items={lines}>{({ line, key }) => <Words key={key} text={line} />}</Static>
      {step.step === 'done' || !(setting.isLive || setting.showsSandboxNote) ? null : (
        <Words
          tone={setting.isLive ? 'live' : 'faint'}
          text={setting.isLive ? ' LIVE: real money ' : 'Sandbox: no money moves'}
        />
      )}
      <StepView state={state} />
    </Box>
  );
}

function StepView({ state }: { readonly state: State }): ReactElement | null {
  const { step } = state;
  switch (step.step) {
    case 'fields':
      return <FieldView state={state} step={step} />;
    case 'summary':
      return <SummaryView state={state} step={step} />;
    case 'busy':
      return <BusyView state={state} step={step} />;
    case 'code':
      return <CodeView state={state} step={step} />;
    case 'menu':
      return <MenuView step={step} />;
    case 'done':
      return null;
  }
}

interface ViewOf<Name extends Step['step']> {
  readonly state: State;
  readonly step: StepOf<Name>;
}

function SummaryView({ state, step }: ViewOf<'summary'>): ReactElement {
  const { setting } = state;
  return (
    <Box flexDirection="column">
      <Words tone="strong" text={summaryTitle(setting)} />
      {summaryRows(state).map(([label, value]) => (
        <Box key={label}>
          <Box width={18} flexShrink={0}>
            <Words tone="faint" text={label} />
          </Box>
          <Words tone={label === AMOUNT_LABEL ? 'strong' : 'plain'} text={value} />
        </Box>
      ))}
      {setting.mustSayYes ? <Words tone="strong" text={`Type yes to continue: ${step.typed}_`} /> : null}
      {step.problem === null ? null : <Words tone="bad" text={step.problem} />}
      <Words tone="faint" text={`Enter: ${nextStepText(state)}. Up: change. Esc: leave.`} />
    </Box>
  );
}

function BusyView({ state, step }: ViewOf<'busy'>): ReactElement {
  const seconds = Math.floor((state.nowMs - step.sinceMs) / 1000);
  const durationText = seconds < 1 ? '' : ` (${String(seconds)} s)`;
  return (
    <Box flexDirection="column">
      <Box>
        <Spinner />
        <Words
          text={` ${step.endAfterCall === null ? callText(step.call, state.setting.direction) : 'Leaving'}${durationText}`}
        />
      </Box>
      {step.endAfterCall === null && step.call === 'follow' ? (
        <Words tone="faint" text="Esc: leave. It becomes final by itself." />
      ) : null}
    </Box>
  );
}

function MenuView({ step }: { readonly step: StepOf<'menu'> }): ReactElement {
  return (
    <Box flexDirection="column">
      <Words tone={step.tone} text={step.title} />
      <Words text={step.text} />
      {step.options.map(({ label, action }, at) => (
        <Choice key={action} isMarked={at === step.marked} text={label} />
      ))}
      <Words tone="faint" text="Up and down: choose. Enter: select." />
    </Box>
  );
}

function Choice({ isMarked, text }: { readonly isMarked: boolean; readonly text: string }): ReactElement {
  return <Words tone={isMarked ? 'accent' : 'plain'} text={`${isMarked ? '>' : ' '} ${text}`} />;
}

function FieldView({ state, step }: ViewOf<'fields'>): ReactElement {
  const question = questionAt(state, step);
  const questions = questionsOf(state);
  if (question === null) return <Words text="There are no more questions." />;
  const options = optionsOf(question, step);
  const { text, cursor, marked } = step.draft;
  const isValid = options === null && question.accepts(intendedValue(question, text));
  const hint =
    options === null
      ? 'Enter or down: next. Up: back. Esc: leave.'
      : 'Up and down: choose. Enter: next. Left: back. Type to filter. Esc: leave.';
  return (
    <Box flexDirection="column">
      {questions.slice(0, step.at).map((one) => (
        <Words key={one.path} tone="faint" text={`${one.label}: ${answerText(one, state.answers)}`} />
      ))}
      <Words tone="strong" text={numberedLabel(state, step.at)} />
      <Box>
        <Words tone="accent" text="> " />
        <Words text={`${text.slice(0, cursor)}_${text.slice(cursor)}`} />
        {text === '' && question.example !== null ? (
          <Words tone="faint" text={` ${question.example}`} />
        ) : null}
        {isValid ? <Words tone="good" text=" ok" /> : null}
      </Box>
      {options === null ? null : <ChoiceView options={options} marked={marked} />}
      {options === null && !isValid && text !== '' && step.problem === null ? (
        <Words tone="faint" text={question.rule} />
      ) : null}
      {step.problem === null ? null : <Words tone="bad" text={step.problem} />}
      <Words tone="faint" text={hint} />
    </Box>
  );
}

function ChoiceView({
  options,
  marked,
}: {
  readonly options: readonly Option[];
  readonly marked: number;
}): ReactElement {
  const firstAt = Math.max(0, Math.min(marked - LIST_ROWS + 2, options.length - LIST_ROWS));
  const shownOptions = options.slice(firstAt, firstAt + LIST_ROWS);
  const hiddenCount = options.length - shownOptions.length;
  return (
    <Box flexDirection="column">
      {shownOptions.map(({ value, label }, at) => (
        <Choice key={value} isMarked={firstAt + at === marked} text={`${value}  ${label}`.trimEnd()} />
      ))}
      {options.length === 0 ? <Words tone="faint" text="  (no match)" /> : null}
      {hiddenCount > 0 ? <Words tone="faint" text={`  (${String(hiddenCount)} more)`} /> : null}
    </Box>
  );
}

const WARNING_MS = 60_000;

function CodeView({ state, step }: ViewOf<'code'>): ReactElement {
  const remainingMs = remainingCodeMs(state);
  const hasExpired = remainingMs === 0;
  const timeText =
    remainingMs === null
      ? 'The payer has a code.'
      : hasExpired
        ? 'The code has expired.'
        : `The payer has a code: ${countdown(remainingMs)} left.`;
  const { focus } = step;
  const resendsText = state.resendsLeft === 0 ? 'none left' : `${String(state.resendsLeft)} left`;
  return (
    <Box flexDirection="column">
      <Words
        tone={hasExpired || (remainingMs !== null && remainingMs < WARNING_MS) ? 'warn' : 'strong'}
        text={timeText}
      />
      {state.setting.codeHint === null ? null : <Words tone="faint" text={state.setting.codeHint} />}
      <Words tone="warn" text="One wrong code ends this pay-in: check it before Enter." />
      <Choice isMarked={focus === 'code'} text={`Code: ${step.text}${focus === 'code' ? '_' : ''}`} />
      <Choice isMarked={focus === 'resend'} text={`Send a new code (${resendsText})`} />
      <Choice isMarked={focus === 'leave'} text="Leave: the pay-in stays open" />
      {step.notice === null ? null : <Words tone="bad" text={step.notice} />}
      <Words tone="faint" text="Enter: select. Up and down: choose." />
      <Words tone="faint" text={`Later: ${state.operation?.resumeCommand ?? ''}`} />
    </Box>
  );
}
