/** The code: its countdown, how many more can be asked for, and what a wrong one does. */
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { codeLeftMs } from '../code-step.js';
import { countdown } from '../../contract/time-left.js';
import type { State, Step } from '../dialogue.js';
import { Words } from './words.js';

type Code = Extract<Step, { step: 'code' }>;

/** Less than this and the countdown warns. */
const SOON_MS = 60_000;

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
        text={`${mark('leave')}Leave: the pay-in stays`}
      />
      {step.notice === null ? null : <Words tone="bad" text={step.notice} />}
      <Words tone="faint" text="Enter: do it. Up and down: choose." />
      <Words tone="faint" text={`Later: ${resumeOf(state)}`} />
    </Box>
  );
}

function resumeOf({ operation }: State): string {
  return operation?.resumeCommand ?? '';
}
