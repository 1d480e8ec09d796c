/** A piece of text in a tone: the only way by which anything reaches the screen. */
import { Text } from 'ink';
import type { ReactElement } from 'react';
import { TONES, useTheme, type Tone } from './theme.js';

export function Words({
  text,
  tone = 'plain',
}: {
  readonly text: string;
  readonly tone?: Tone;
}): ReactElement {
  const { escape } = useTheme();
  return (
    <Text {...TONES[tone]} wrap="wrap">
      {escape(text)}
    </Text>
  );
}
