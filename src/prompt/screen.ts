/** Puts frames on a terminal's standard error, in as many colours as were decided for it, and takes its keys. */
import chalk from 'chalk';
import { render, type Instance } from 'ink';
import type { ReactElement } from 'react';
import type { Terminal } from '../runtime/ports.js';
import type { Theme } from './view/theme.js';

export interface ScreenOptions extends Theme {
  readonly terminal: Terminal;
  readonly isColour: boolean;
}

/** Unmounting it leaves the terminal as it was. Ctrl-C is a key like any other. */
export function openScreen(element: ReactElement, { terminal, isColour }: ScreenOptions): Instance {
  // 16 colours or none: the library's own detection looks at another stream.
  chalk.level = isColour ? 1 : 0;
  return render(element, {
    stdin: terminal.input,
    stdout: terminal.output,
    stderr: terminal.output,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  });
}
