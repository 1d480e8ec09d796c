/** A pipe that is full: whoever writes to it stops right there, and is somewhere that is known. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';

const FILLER = Buffer.alloc(4096, '.');

export function fullPipe(path: string) {
  execFileSync('mkfifo', [path]);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  untilAgain(() => writeSync(descriptor, FILLER));
  untilAgain(() => writeSync(descriptor, '.'));
  return {
    descriptor,
    /** What was written to it behind the filling. */
    drain: (): string => {
      const chunks: Buffer[] = [];
      untilAgain(() => {
        const chunk = Buffer.alloc(65_536);
        chunks.push(chunk.subarray(0, readSync(descriptor, chunk)));
      });
      return Buffer.concat(chunks).toString('utf8').replace(/^\.+/, '');
    },
    close: () => {
      closeSync(descriptor);
      rmSync(path, { force: true });
    },
  };
}

/** Does it again and again until the system says that it would have to wait. */
function untilAgain(step: () => unknown): void {
  for (;;) {
    try {
      step();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return;
      throw error;
    }
  }
}
