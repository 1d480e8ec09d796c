/** What is about to be created: amount, bank, masked document, environment. */
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { State, Step } from '../dialogue.js';
import { masked } from '../masked.js';
import { questionsOf } from '../questions.js';
import { Words } from './words.js';

type Summary = Extract<Step, { step: 'summary' }>;

export function SummaryView({
  state,
  step,
}: {
  readonly state: State;
  readonly step: Summary;
}): ReactElement {
  const { answers, setting } = state;
  const rows = questionsOf(state)
    .filter(({ path }) => path !== 'amount')
    .map(({ path, label, options }): [string, string] => {
      const value = answers[path] ?? '';
      const name = options?.find((option) => option.value === value)?.label ?? '';
      return [label, `${masked(path, value)}  ${name}`.trimEnd()];
    });
  const { amount = '', currency = '', method = '', country = '' } = answers;
  return (
    <Box flexDirection="column">
      <Words tone="strong" text="Collect" />
      {[
        ['Amount', `${amount} ${currency}`],
        ['Method', `${method} in ${country}`],
        ...rows,
        ['Environment', setting.isLive ? 'LIVE: real money' : 'sandbox: no money moves'],
        ['Sent to', setting.place],
      ].map(([label = '', value = '']) => (
        <Box key={label}>
          <Box width={18} flexShrink={0}>
            <Words tone="faint" text={label} />
          </Box>
          <Words text={value} />
        </Box>
      ))}
      {setting.mustSayYes ? <Words tone="strong" text={`Type yes to go on: ${step.typed}_`} /> : null}
      {step.problem === null ? null : <Words tone="bad" text={step.problem} />}
      <Words
        tone="faint"
        text="Enter: create it, and the bank sends the payer a code. Up: change. Esc: leave."
      />
    </Box>
  );
}
