/** How the views write: text made safe, and a few tones that hold on light and dark backgrounds and without colour. */
import { createContext, useContext } from 'react';
import type { TextProps } from 'ink';

export interface Theme {
  /** Makes control characters of a foreign text visible. */
  readonly escape: (text: string) => string;
}

export const ThemeContext = createContext<Theme>({ escape: (text) => text });

export function useTheme(): Theme {
  return useContext(ThemeContext);
}

export type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'warn' | 'accent' | 'live';

/** Of the 16 colours those that can be read on either background: no yellow, no white, no black. */
export const TONES: Readonly<Record<Tone, Partial<TextProps>>> = {
  plain: {},
  strong: { bold: true },
  faint: { dimColor: true },
  good: { color: 'green' },
  bad: { color: 'red', bold: true },
  warn: { color: 'magenta' },
  accent: { color: 'blue', bold: true },
  live: { color: 'red', bold: true, inverse: true },
};
