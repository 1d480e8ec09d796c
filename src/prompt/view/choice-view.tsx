/** A list to choose from: a window around the marked option. */
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { LIST_ROWS } from '../fields-step.js';
import type { Option } from '../question.js';
import { Words } from './words.js';

export function ChoiceView({
  options,
  marked,
}: {
  readonly options: readonly Option[];
  readonly marked: number;
}): ReactElement {
  const first = Math.max(0, Math.min(marked - LIST_ROWS + 2, options.length - LIST_ROWS));
  const shown = options.slice(first, first + LIST_ROWS);
  const more = options.length - shown.length;
  return (
    <Box flexDirection="column">
      {shown.map(({ value, label }, at) => (
        <Words
          key={value}
          tone={first + at === marked ? 'accent' : 'plain'}
          text={`${first + at === marked ? '>' : ' '} ${`${value}  ${label}`.trimEnd()}`}
        />
      ))}
      {options.length === 0 ? <Words tone="faint" text="  (nothing fits)" /> : null}
      {more > 0 ? <Words tone="faint" text={`  (${String(more)} more)`} /> : null}
    </Box>
  );
}
