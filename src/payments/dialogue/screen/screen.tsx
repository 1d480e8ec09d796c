import { stripVTControlCharacters } from 'node:util';
import chalk from 'chalk';
import { type Instance, type Key, render, Text, type TextProps, useInput, usePaste } from 'ink';
import { createContext, type ReactElement, type ReactNode, useContext } from 'react';
import { rowsAbove } from '../../../command/line/terminal.js';
import type { Terminal } from '../../../runtime/ports.js';
import type { KeyName, Message } from '../dialogue.js';

interface Theme {
  readonly escape: (text: string) => string;
}

const ThemeContext = createContext<Theme>({ escape: (text) => text });

export function App({
  theme,
  send,
  children,
}: {
  readonly theme: Theme;
  readonly send: (message: Extract<Message, { type: 'key' | 'text' }>) => void;
  readonly children: ReactNode;
}): ReactElement {
  useInput((text, key) => {
    const name = keyNameOf(text, key);
    if (name !== null) send({ type: 'key', key: name });
    else if (text !== '' && !key.ctrl && !key.meta) send({ type: 'text', text });
  });
  usePaste((text) => send({ type: 'text', text }));
  return <ThemeContext value={theme}>{children}</ThemeContext>;
}

const CONTROL_KEYS: Readonly<Record<string, KeyName>> = { c: 'interrupt', u: 'clear', a: 'home', e: 'end' };

function keyNameOf(text: string, key: Key): KeyName | null {
  if (key.ctrl) return CONTROL_KEYS[text] ?? null;
  if (text === '\n') return 'enter';
  if (key.tab) return key.shift ? 'backtab' : 'tab';
  const keyStates: readonly (readonly [boolean, KeyName])[] = [
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
  return keyStates.find(([isPressed]) => isPressed)?.[1] ?? null;
}

export interface ScreenOptions extends Theme {
  readonly terminal: Terminal;
  readonly isColour: boolean;
}

export function openScreen(element: ReactElement, { terminal, isColour }: ScreenOptions): Instance {
  // The level is set here, because chalk would look at another stream than `terminal.output`.
  chalk.level = isColour ? 1 : 0;
  const { output, stop } = watchedOutput(terminal.output);
  const screen = render(element, {
    stdin: terminal.input,
    stdout: output,
    stderr: terminal.output,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  });
  void screen.waitUntilExit().finally(stop);
  return screen;
}

/** A narrower window breaks the lines of a frame, but the library erases only as many rows as it wrote. */
function watchedOutput(stream: Terminal['output']) {
  let frame = '';
  const write = (...[chunk, ...rest]: Parameters<typeof stream.write>): boolean => {
    if (typeof chunk === 'string' && chunk.includes('\n')) frame = chunk;
    return stream.write(chunk, ...rest);
  };
  const eraseBroken = (): void => {
    const lines = stripVTControlCharacters(frame).split('\n');
    const rows = lines.reduce((sum, line) => sum + rowsAbove(line, stream.columns), 0);
    if (rows > 0) stream.write(`\u001b[${String(rows)}A\u001b[J`);
  };
  stream.on('resize', eraseBroken);
  const output = new Proxy(stream, {
    get: (target, name) => {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { output, stop: () => void stream.off('resize', eraseBroken) };
}

type TextTone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'warn' | 'accent' | 'live';

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
