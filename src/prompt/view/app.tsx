/**
 * A screen on a terminal's standard error, in as many colours as were decided for it, with its keyboard: what is pressed, typed and
 * pasted becomes messages.
 */
import chalk from 'chalk';
import { render, useInput, usePaste, type Instance, type Key } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import type { Terminal } from '../../runtime/ports.js';
import type { KeyName, Message } from '../dialogue.js';
import { ThemeContext, type Theme } from './words.js';

export type Pressed = Extract<Message, { type: 'key' | 'text' }>;

export interface AppProps {
  readonly theme: Theme;
  readonly tell: (message: Pressed) => void;
  readonly children: ReactNode;
}

export function App({ theme, tell, children }: AppProps): ReactElement {
  useInput((text, key) => {
    const name = nameOf(text, key);
    if (name !== null) tell({ type: 'key', key: name });
    else if (text !== '' && !key.ctrl && !key.meta) tell({ type: 'text', text });
  });
  usePaste((text) => tell({ type: 'text', text }));
  return <ThemeContext value={theme}>{children}</ThemeContext>;
}

/** With Ctrl, as in every shell. */
const CONTROLS: Readonly<Record<string, KeyName>> = { c: 'interrupt', u: 'clear', a: 'home', e: 'end' };

function nameOf(text: string, key: Key): KeyName | null {
  if (key.ctrl) return CONTROLS[text] ?? null;
  // Typed ahead of the dialogue, an Enter arrives as the terminal's own line end.
  if (text === '\n') return 'enter';
  if (key.tab) return key.shift ? 'backtab' : 'tab';
  const names: readonly (readonly [boolean, KeyName])[] = [
    [key.return, 'enter'],
    [key.escape, 'escape'],
    [key.upArrow, 'up'],
    [key.downArrow, 'down'],
    [key.leftArrow, 'left'],
    [key.rightArrow, 'right'],
    [key.home, 'home'],
    [key.end, 'end'],
    [key.backspace, 'backspace'],
    [key.delete, 'delete'],
  ];
  return names.find(([isPressed]) => isPressed)?.[1] ?? null;
}

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
