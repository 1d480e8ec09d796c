/** Says on standard error how far a reader of the feed has come while it catches up. */
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../../cli/command.js';
import { mayRepaint } from '../../cli/line/interaction.js';

const TERMINAL_EVERY_MS = 250;
const LINE_EVERY_MS = 5000;

/** Told after each page; says nothing where the events themselves scroll by, and nothing any more once the end was reached. */
export function catchingUp(
  ports: Ports,
  { quiet }: GlobalFlags,
): (count: number, isEnd: boolean) => Promise<void> {
  const { clock, errors, output } = ports;
  const repaints = mayRepaint(ports);
  const everyMs = repaints ? TERMINAL_EVERY_MS : LINE_EVERY_MS;
  let saidAtMs = clock.monotonic();
  let hasSaid = false;
  let isOver = quiet || output.isTTY;
  return async (count, isEnd) => {
    if (isOver) return;
    const nowMs = clock.monotonic();
    isOver = isEnd;
    if (isEnd ? !hasSaid : nowMs - saidAtMs < everyMs) return;
    saidAtMs = nowMs;
    hasSaid = true;
    const text = `${isEnd ? 'Caught up' : 'Catching up'}: ${count.toLocaleString('en-US')} events`;
    await errors.write(repaints ? `\r${text}${isEnd ? '.\n' : ' '}` : `${text}.\n`);
  };
}
