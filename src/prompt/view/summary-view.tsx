/** What is about to be created: amount, bank, masked document, environment. */
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { State, Step } from '../dialogue.js';
import { AMOUNT, summaryRows, titleOf, whatFollows } from '../wording.js';
import { Words } from './words.js';

type Summary = Extract<Step, { step: 'summary' }>;

export function SummaryView({
  state,
  step,
}: {
  readonly state: State;
  readonly step: Summary;
}): ReactElement {
  const { setting } = state;
  return (
    <Box flexDirection="column">
      <Words tone="strong" text={titleOf(setting)} />
      {summaryRows(state).map(([label, value]) => (
        <Box key={label}>
          <Box width={18} flexShrink={0}>
            <Words tone="faint" text={label} />
          </Box>
          <Words tone={label === AMOUNT ? 'strong' : 'plain'} text={value} />
        </Box>
      ))}
      {setting.mustSayYes ? <Words tone="strong" text={`Type yes to go on: ${step.typed}_`} /> : null}
      {step.problem === null ? null : <Words tone="bad" text={step.problem} />}
      <Words tone="faint" text={`Enter: ${whatFollows(state)}. Up: change. Esc: leave.`} />
    </Box>
  );
}
