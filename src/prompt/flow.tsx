/** Runs the dialogue at a terminal as a screen that is painted again with every state: the lines that stay, whose money it is, and the step. */
import { Spinner } from '@inkjs/ui';
import { Box, Static } from 'ink';
import type { ReactElement } from 'react';
import type { End, State, Step } from './dialogue.js';
import { drive, type DriveOptions } from './drive.js';
import { App, openScreen, type ScreenOptions, Words } from './view/screen.js';
import { CodeView, FieldView } from './view/step-views.js';
import { AMOUNT, callWords, summaryRows, summaryTitle, whatFollows } from './wording.js';

/** Resolves when the dialogue has ended and the terminal is as it was. @throws whatever the port throws: a defect */
export function runFlow(options: DriveOptions & ScreenOptions): Promise<End> {
  return drive(options, (start, tell) => {
    const element = (state: typeof start) => (
      <App theme={options} tell={tell}>
        <FlowView state={state} />
      </App>
    );
    const screen = openScreen(element(start), options);
    return {
      show: (state) => screen.rerender(element(state)),
      shown: () => screen.waitUntilRenderFlush(),
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
      {step.step === 'done' || !(setting.isLive || setting.saysSandbox) ? null : (
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

/** What is about to be created: amount, bank, masked document, environment. */
type Summary = Extract<Step, { step: 'summary' }>;

function SummaryView({ state, step }: { readonly state: State; readonly step: Summary }): ReactElement {
  const { setting } = state;
  return (
    <Box flexDirection="column">
      <Words tone="strong" text={summaryTitle(setting)} />
      {summaryRows(state).map(([label, value]) => (
        <Box key={label}>
          <Box width={18} flexShrink={0}>
            <Words tone="faint" text={label} />
          </Box>
          <Words tone={label === AMOUNT ? 'strong' : 'plain'} text={value} />
        </Box>
      ))}
      {setting.mustSayYes ? <Words tone="strong" text={`Type yes to continue: ${step.typed}_`} /> : null}
      {step.problem === null ? null : <Words tone="bad" text={step.problem} />}
      <Words tone="faint" text={`Enter: ${whatFollows(state)}. Up: change. Esc: leave.`} />
    </Box>
  );
}

/** A call under way: what it is, and since when where that is worth saying. */
type Busy = Extract<Step, { step: 'busy' }>;

function BusyView({ state, step }: { readonly state: State; readonly step: Busy }): ReactElement {
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
        <Words tone="faint" text="Esc: leave. It becomes final by itself." />
      ) : null}
    </Box>
  );
}

/** What happened, in words a person can act on, and what can be done now. */
type Menu = Extract<Step, { step: 'menu' }>;

function MenuView({ step }: { readonly step: Menu }): ReactElement {
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
      <Words tone="faint" text="Up and down: choose. Enter: select." />
    </Box>
  );
}
