/** Runs a form at a terminal. */
import { beginForm, reduceForm, type FormField, type FormMessage, type FormState } from './form.js';
import { openScreen, type ScreenOptions } from './screen.js';
import { App } from './view/app.js';
import { FormView } from './view/form-view.js';

export interface FormOptions extends ScreenOptions {
  readonly fields: readonly FormField[];
  /** Ends the form from outside. */
  readonly signal: AbortSignal;
}

/** Resolves when the form has ended and the terminal is as it was; `end` is not null then. */
export async function runForm(options: FormOptions): Promise<FormState> {
  const ended = Promise.withResolvers<FormState>();
  let state = beginForm(options.fields);
  const element = () => (
    <App theme={options} tell={tell}>
      <FormView state={state} />
    </App>
  );
  const tell = (message: FormMessage): void => {
    state = reduceForm(state, message);
    screen.rerender(element());
    if (state.end !== null) ended.resolve(state);
  };
  const stop = (): void => tell({ type: 'stop' });
  const screen = openScreen(element(), options);
  try {
    if (options.signal.aborted) stop();
    options.signal.addEventListener('abort', stop, { once: true });
    const last = await ended.promise;
    await screen.waitUntilRenderFlush();
    return last;
  } finally {
    options.signal.removeEventListener('abort', stop);
    screen.unmount();
    await screen.waitUntilExit();
  }
}
