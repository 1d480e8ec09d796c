/** How far an exam is, on standard error: a line that is written over at a terminal, a line each ten cases elsewhere. */
import { mayRepaint } from '../../cli/line/interaction.js';
import { escapeText } from '../../output/escape.js';
import type { Ports } from '../../runtime/ports.js';

export interface CaseProgress {
  /** A case begins; each counts once. */
  readonly begin: (id: string) => void;
  /** Leaves nothing of itself at a terminal. */
  readonly end: () => Promise<void>;
}

const BAR = 30;
const LINE_EVERY = 10;
const CLEARED = '\r\u001B[K';

/** @param total how many cases there are */
export function caseProgress(ports: Ports, flags: { readonly quiet: boolean }, total: number): CaseProgress {
  const begun = new Set<string>();
  const isPainted = mayRepaint(ports);
  let last: Promise<void> = Promise.resolve();
  const say = (text: string): void => {
    last = last.then(() => ports.errors.write(text)).catch(() => undefined);
  };
  return {
    begin: (id) => {
      if (flags.quiet || begun.has(id)) return;
      begun.add(id);
      const done = Math.min(begun.size, total);
      const count = `${String(done)} of ${String(total)}`;
      const filled = total === 0 ? 0 : Math.floor((done / total) * BAR);
      const bar = `${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}`;
      const line = ` [${bar}] ${count}   ${escapeText(id)}`;
      // A line that is wider than the terminal could not be written over.
      if (isPainted) say(CLEARED + line.slice(0, Math.max(0, ports.errors.columns - 1)));
      else if (done % LINE_EVERY === 0) say(`${count} cases\n`);
    },
    end: async () => {
      if (isPainted && begun.size > 0) say(CLEARED);
      await last;
    },
  };
}
