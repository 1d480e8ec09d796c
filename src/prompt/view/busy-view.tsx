/** A call under way: what it is, and since when where that is worth saying. */
import { Spinner } from '@inkjs/ui';
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { State, Step } from '../dialogue.js';
import { callWords } from '../wording.js';
import { Words } from './words.js';

type Busy = Extract<Step, { step: 'busy' }>;

export function BusyView({ state, step }: { readonly state: State; readonly step: Busy }): ReactElement {
  const seconds = Math.floor((state.nowMs - step.sinceMs) / 1000);
  const since = seconds < 1 ? '' : ` (${String(seconds)} s)`;
  return (
    <Box flexDirection="column">
      <Box>
        <Spinner />
        <Words
          text={` ${step.leaving === null ? callWords(step.call, state.setting.direction) : 'Leaving'}${since}`}
        />
      </Box>
      {step.leaving === null && step.call === 'follow' ? (
        <Words tone="faint" text="Esc: leave; it resolves by itself." />
      ) : null}
    </Box>
  );
}
