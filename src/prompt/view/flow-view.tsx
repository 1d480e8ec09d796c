/** The dialogue as a screen: the lines that stay, a banner that says whose money it is, and the step. */
import { Box, Static } from 'ink';
import type { ReactElement } from 'react';
import type { State } from '../dialogue.js';
import { BusyView } from './busy-view.js';
import { CodeView } from './code-view.js';
import { FieldView } from './field-view.js';
import { MenuView } from './menu-view.js';
import { SummaryView } from './summary-view.js';
import { Words } from './words.js';

export function FlowView({ state }: { readonly state: State }): ReactElement {
  const { log, step, setting } = state;
  const lines = log.map((line, at) => ({ line, key: String(at) }));
  return (
    <Box flexDirection="column">
      <Static items={lines}>{({ line, key }) => <Words key={key} text={line} />}</Static>
      {step.step === 'done' ? null : (
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
