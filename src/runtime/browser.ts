/** Shows an address in the browser of the person at this machine, where there is one. */
import { spawn } from 'node:child_process';
import type { Environ } from './ports.js';

/** Quietly nothing where there is no screen, no such program, or one that fails: the address was printed. */
export function openBrowser(url: string, env: Environ): void {
  const isMac = process.platform === 'darwin';
  // Without a screen xdg-open would begin a browser in the terminal.
  if (!isMac && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
  const child = spawn(isMac ? 'open' : 'xdg-open', [url], {
    env: { ...env },
    stdio: 'ignore',
    detached: true,
  });
  child.once('error', () => undefined);
  child.unref();
}
