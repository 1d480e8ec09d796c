/**
 * A screen on a terminal's standard error, in as many colours as were decided for it, with its keyboard: what is pressed, typed and pasted
 * becomes messages; and the only way by which anything reaches it: text made safe, in a few tones that hold on light and dark backgrounds
 * and without colour.
 */
import chalk from 'chalk';
import { type Instance, type Key, render, Text, type TextProps, useInput, usePaste } from 'ink';
import { createContext, type ReactElement, type ReactNode, useContext } from 'react';
import type { Terminal } from '../../runtime/ports.js';
import type { KeyName, Message } from '../dialogue.js';

interface Theme {
  /** Makes control characters of a foreign text visible. */
  readonly escape: (text: string) => string;
}

const ThemeContext = createContext<Theme>({ escape: (text) => text });

type Pressed = Extract<Message, { type: 'key' | 'text' }>;

interface AppProps {
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

type TextTone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'warn' | 'accent' | 'live';

/** Of the 16 colours those that can be read on either background: no yellow, no white, no black. */
const TEXT_TONES: Readonly<Record<TextTone, Partial<TextProps>>> = {
  plain: {},
  strong: { bold: true },
  faint: { dimColor: true },
  good: { color: 'green' },
  bad: { color: 'red', bold: true },
  warn: { color: 'magenta' },
  accent: { color: 'blue', bold: true },
  live: { color: 'red', bold: true, inverse: true },
};

export function Words({
  text,
  tone = 'plain',
}: {
  readonly text: string;
  readonly tone?: TextTone;
}): ReactElement {
  const { escape } = useContext(ThemeContext);
  return (
    <Text {...TEXT_TONES[tone]} wrap="wrap">
      {escape(text)}
    </Text>
  );
}
