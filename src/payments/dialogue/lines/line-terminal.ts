import { createInterface } from 'node:readline';
import type { Terminal } from '../../../runtime/ports.js';

export interface LineTerminal {
  write(text: string): void;
  whenWritten(): Promise<void>;
  close(): void;
}

export function openLines({ input, output }: Terminal, onLine: (line: string | null) => void): LineTerminal {
  const lines = createInterface({ input, terminal: false });
  let isOpen = true;
  lines.on('line', onLine);
  lines.on('close', () => {
    if (isOpen) onLine(null);
  });
  return {
    ...lineWriter(output),
    close: () => {
      isOpen = false;
      lines.close();
    },
  };
}

export type TypedLine = { readonly text: string } | 'left' | 'stopped';

const KEYS = { interrupt: '\u0003', end: '\u0004', escape: '\u001b', clear: '\u0015' } as const;
const ERASE_KEYS = ['\u007f', '\b'];

export function readHidden({ input }: Terminal, signal: AbortSignal, prompt: () => void): Promise<TypedLine> {
  return new Promise((resolve) => {
    let text = '';
    const end = (result: TypedLine): void => {
      input.off('data', onData);
      signal.removeEventListener('abort', stop);
      input.setRawMode(false);
      input.pause();
      resolve(result);
    };
    const stop = (): void => end('stopped');
    const onData = (chunk: Buffer): void => {
      const typed = chunk.toString('utf8');
      if (typed === KEYS.escape) {
        end('left');
        return;
      }
      for (const character of typed) {
        if (character === KEYS.interrupt) end('stopped');
        else if (character === KEYS.end) end('left');
        else if (character === '\r' || character === '\n') end({ text });
        else if (character === KEYS.clear) text = '';
        else if (ERASE_KEYS.includes(character)) text = text.slice(0, -1);
        else text += character;
        if (character < ' ' && character !== KEYS.clear && character !== '\b') return;
      }
    };
    if (signal.aborted) {
      resolve('stopped');
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    input.setRawMode(true);
    input.on('data', onData);
    input.resume();
    // The prompt follows `setRawMode`, because the terminal would show what is typed before that.
    prompt();
  });
}

export function lineWriter(output: Terminal['output']): Pick<LineTerminal, 'write' | 'whenWritten'> {
  let lastWrite: Promise<void> = Promise.resolve();
  return {
    write: (text) => {
      const previousWrite = lastWrite;
      const thisWrite = new Promise<void>((resolve) => output.write(text, () => resolve()));
      lastWrite = previousWrite.then(() => thisWrite);
    },
    whenWritten: () => lastWrite,
  };
}
