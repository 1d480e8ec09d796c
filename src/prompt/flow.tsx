/** Runs the dialogue at a terminal as a screen that is painted anew with every state. */
import type { End } from './dialogue.js';
import { drive, type DriveOptions } from './drive.js';
import { App, openScreen, type ScreenOptions } from './view/app.js';
import { FlowView } from './view/flow-view.js';

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
