/** What a person sees while an operation is waited for: one line on standard error that is renewed, and gone at the end. */
import { mayRepaint } from '../line/interaction.js';
import type { Outcome } from '../../contract/attempt.js';
import { escapeText } from '../../output/escape.js';
import { chooseMode } from '../../output/mode.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../command.js';

export interface WaitingProgress {
  /** After each read; null where it could not be read. */
  readonly show: (operation: Outcome | null) => void;
  readonly clear: () => Promise<void>;
}

const LINE_START = '\r\u001b[K';

/** Silent where nobody looks: no terminal, `--quiet`, one that cannot move its cursor, or a person who wants nothing repainted. */
export function waitingProgress(
  { errors, clock, env, output }: Ports,
  flags: Pick<GlobalFlags, 'quiet' | 'output' | 'json' | 'jq'>,
): WaitingProgress {
  const isSeen = !flags.quiet && mayRepaint({ errors, env });
  const startedMs = clock.monotonic();
  let isShown = false;
  return {
    show: (operation) => {
      if (!isSeen) return;
      isShown = true;
      const seconds = Math.round((clock.monotonic() - startedMs) / 1000);
      const line = `Waiting, ${String(seconds)} s: ${stateOf(operation)}`;
      void errors.write(LINE_START + line.slice(0, Math.max(0, errors.columns - 1)));
    },
    clear: async () => {
      if (!isShown) return;
      const isTable = chooseMode(flags, env['SVC_OUTPUT'], output.isTTY, 'single') === 'table';
      // What is read by a program, such as the error as JSON, is a line with nothing before it.
      await errors.write(isTable ? LINE_START : `${LINE_START}\n`);
    },
  };
}

function stateOf(operation: Outcome | null): string {
  if (operation === null) return 'no answer, asking again';
  const { status, pending_reason: reason } = operation;
  return escapeText(reason === null ? status : `${status} (${reason})`);
}
