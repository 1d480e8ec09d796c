/** A call under way: what it is, and since when where that is worth saying. */
import { Spinner } from '@inkjs/ui';
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Call, State, Step } from '../dialogue.js';
import { Words } from './words.js';

type Busy = Extract<Step, { step: 'busy' }>;

const WORDS: Readonly<Record<Call, string>> = {
  create: 'Creating the pay-in',
  repeat: 'Repeating it with the same key',
  confirm: 'Confirming with the code',
  resend: 'Asking for a new code',
  lookUp: 'Looking the pay-in up',
  follow: 'The bank is at it; this follows it until it is final',
};

export function BusyView({ state, step }: { readonly state: State; readonly step: Busy }): ReactElement {
  const seconds = Math.floor((state.nowMs - step.sinceMs) / 1000);
  const since = seconds < 1 ? '' : ` (${String(seconds)} s)`;
  return (
    <Box flexDirection="column">
      <Box>
        <Spinner />
        <Words text={` ${step.leaving === null ? WORDS[step.call] : 'Leaving'}${since}`} />
      </Box>
      {step.leaving === null && step.call === 'follow' ? (
        <Words tone="faint" text="Esc: leave; it resolves by itself." />
      ) : null}
    </Box>
  );
}
