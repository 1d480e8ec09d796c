import { Box } from 'ink';
import type { ReactElement } from 'react';
import {
  beginForm,
  reduceForm,
  shownDraft,
  type FormField,
  type FormMessage,
  type FormState,
} from './form.js';
import { App, openScreen, type ScreenOptions, Words } from '../screen/screen.js';

export interface FormOptions extends ScreenOptions {
  readonly fields: readonly FormField[];
  readonly signal: AbortSignal;
}

export async function runForm(options: FormOptions): Promise<FormState> {
  const ending = Promise.withResolvers<FormState>();
  let state = beginForm(options.fields);
  const element = () => (
    <App theme={options} send={send}>
      <FormView state={state} />
    </App>
  );
  const send = (message: FormMessage): void => {
    state = reduceForm(state, message);
    screen.rerender(element());
    if (state.end !== null) ending.resolve(state);
  };
  const stop = (): void => send({ type: 'stop' });
  const screen = openScreen(element(), options);
  try {
    if (options.signal.aborted) stop();
    options.signal.addEventListener('abort', stop, { once: true });
    const endState = await ending.promise;
    await screen.waitUntilRenderFlush();
    return endState;
  } finally {
    options.signal.removeEventListener('abort', stop);
    screen.unmount();
    await screen.waitUntilExit();
  }
}

export function FormView({ state }: { readonly state: FormState }): ReactElement {
  const { fields, at, answers, problem, end } = state;
  const field = fields[at];
  const askedFields = fields.filter(({ isAsked }) => isAsked?.(answers) !== false);
  const answeredFields =
    end === 'finished' ? askedFields : askedFields.filter((one) => fields.indexOf(one) < at);
  return (
    <Box flexDirection="column">
      {answeredFields.map((one) => (
        <Words key={one.name} tone="faint" text={`${one.label}: ${textOf(answers[one.name] ?? '', one)}`} />
      ))}
      {field === undefined || end !== null ? null : (
        <>
          <Words tone="strong" text={field.label} />
          <Words tone="accent" text={`> ${shownDraft(state)}`} />
          {problem === null ? <Words tone="faint" text={field.hint} /> : <Words tone="bad" text={problem} />}
          <Words tone="faint" text="Enter: next. Up: back. Esc: leave." />
        </>
      )}
    </Box>
  );
}

function textOf(value: string, { isSecret, emptyText = 'none' }: FormField): string {
  if (value === '') return emptyText;
  return isSecret ? 'typed' : value;
}
