/**
 * How the views write, and the only way by which anything reaches the screen: text made safe, in a few tones that hold on light and dark
 * backgrounds and without colour.
 */
import { Text, type TextProps } from 'ink';
import { createContext, useContext, type ReactElement } from 'react';

export interface Theme {
  /** Makes control characters of a foreign text visible. */
  readonly escape: (text: string) => string;
}

export const ThemeContext = createContext<Theme>({ escape: (text) => text });

export type TextTone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'warn' | 'accent' | 'live';

/** Of the 16 colours those that can be read on either background: no yellow, no white, no black. */
export const TEXT_TONES: Readonly<Record<TextTone, Partial<TextProps>>> = {
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
