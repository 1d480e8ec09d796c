/** The screen with its keyboard: what is pressed, typed and pasted becomes messages of the dialogue. */
import { useInput, usePaste, type Key } from 'ink';
import type { ReactElement } from 'react';
import type { KeyName, Message, State } from '../dialogue.js';
import { FlowView } from './flow-view.js';
import { ThemeContext, type Theme } from './theme.js';

export interface AppProps {
  readonly state: State;
  readonly theme: Theme;
  readonly tell: (message: Message) => void;
}

export function App({ state, theme, tell }: AppProps): ReactElement {
  useInput((text, key) => {
    const name = nameOf(text, key);
    if (name !== null) tell({ type: 'key', key: name });
    else if (text !== '' && !key.ctrl && !key.meta) tell({ type: 'text', text });
  });
  usePaste((text) => tell({ type: 'text', text }));
  return (
    <ThemeContext value={theme}>
      <FlowView state={state} />
    </ThemeContext>
  );
}

function nameOf(text: string, key: Key): KeyName | null {
  if (key.ctrl) return text === 'c' ? 'interrupt' : null;
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
