/** One life of a server: from its ready line to its kill. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type Life = Awaited<ReturnType<typeof startLife>>;

/** Starts a server over a store. @throws where it ends before it is ready */
export async function startLife(program: string, store: string) {
  const child = spawn(process.execPath, [program, store], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const ended = once(child, 'close');
  const ready = new Promise<{ port: number; key: string }>((resolve) => {
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('\n')) resolve(JSON.parse(output) as { port: number; key: string });
    });
  });
  const first = await Promise.race([ready, ended]);
  if (Array.isArray(first)) throw new Error(`the server ended before it was ready: ${errors}`);
  return {
    ...first,
    /** SIGKILL, at once; resolves when the process is gone. */
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    errors: () => errors,
  };
}
