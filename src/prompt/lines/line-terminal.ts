/** A terminal that is only written to and read line by line: nothing is repainted, and the terminal edits what is typed by itself. */
import { createInterface } from 'node:readline';
import type { Terminal } from '../../runtime/ports.js';

export interface LineTerminal {
  write(text: string): void;
  /** Resolves once everything that was written is handed over. */
  written(): Promise<void>;
  close(): void;
}

/** @param onLine called with every line; with null at the end of the input */
export function openLines({ input, output }: Terminal, onLine: (line: string | null) => void): LineTerminal {
  const lines = createInterface({ input, terminal: false });
  let isOpen = true;
  lines.on('line', onLine);
  lines.on('close', () => {
    if (isOpen) onLine(null);
  });
  return {
    ...writing(output),
    close: () => {
      isOpen = false;
      lines.close();
    },
  };
}

/** `left` for Esc and the end of the input, `stopped` for Ctrl-C and the signal. */
export type TypedLine = { readonly text: string } | 'left' | 'stopped';

const KEYS = { interrupt: '\u0003', end: '\u0004', escape: '\u001b', clear: '\u0015' } as const;
const ERASE = ['\u007f', '\b'];

/**
 * A secret, of which not even the length is shown.
 * @param prompt asks for it, once the terminal shows nothing of what is typed
 */
export function readHidden({ input }: Terminal, signal: AbortSignal, prompt: () => void): Promise<TypedLine> {
  return new Promise((resolve) => {
    let text = '';
    const end = (result: TypedLine): void => {
      input.off('data', take);
      signal.removeEventListener('abort', stop);
      input.setRawMode(false);
      input.pause();
      resolve(result);
    };
    const stop = (): void => end('stopped');
    const take = (chunk: Buffer): void => {
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
        else if (ERASE.includes(character)) text = text.slice(0, -1);
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
    input.on('data', take);
    input.resume();
    // What is typed at once is not shown either.
    prompt();
  });
}

/** What is written to a terminal, in order. */
export function writing(output: Terminal['output']): Pick<LineTerminal, 'write' | 'written'> {
  let last: Promise<void> = Promise.resolve();
  return {
    write: (text) => {
      const before = last;
      const one = new Promise<void>((resolve) => output.write(text, () => resolve()));
      last = before.then(() => one);
    },
    written: () => last,
  };
}
