/** What happened, in words a person can act on, and what can be done now. */
import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Step } from '../dialogue.js';
import { Words } from './words.js';

type Menu = Extract<Step, { step: 'menu' }>;

export function MenuView({ step }: { readonly step: Menu }): ReactElement {
  return (
    <Box flexDirection="column">
      <Words tone={step.tone} text={step.title} />
      <Words text={step.text} />
      {step.options.map(({ label, action }, at) => (
        <Words
          key={action}
          tone={at === step.marked ? 'accent' : 'plain'}
          text={`${at === step.marked ? '>' : ' '} ${label}`}
        />
      ))}
      <Words tone="faint" text="Up and down: choose. Enter: do it." />
    </Box>
  );
}
