/** One life of a server: from its ready line to its kill. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { firstLine } from '../../support/program.js';

export type Life = Awaited<ReturnType<typeof startLife>>;

/** Starts a server over a store. @throws where it ends before it is ready */
export async function startLife(program: string, store: string) {
  const child = spawn(process.execPath, [program, store], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const ended = once(child, 'close');
  const ready = JSON.parse(await firstLine(child)) as { port: number; key: string };
  return {
    ...ready,
    /** SIGKILL, at once; resolves when the process is gone. */
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    errors: () => errors,
  };
}
