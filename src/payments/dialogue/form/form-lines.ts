import { beginForm, reduceForm, type FormField, type FormMessage, type FormState } from './form.js';
import type { KeyName } from '../dialogue.js';
import { openLines, readHidden, type TypedLine, lineWriter } from '../lines/line-terminal.js';
import type { Terminal } from '../../../runtime/ports.js';

export interface FormLinesOptions {
  readonly terminal: Terminal;
  readonly fields: readonly FormField[];
  readonly escape: (text: string) => string;
  readonly signal: AbortSignal;
}

export async function runFormLines(options: FormLinesOptions): Promise<FormState> {
  const { fields, terminal, signal, escape } = options;
  const { write, whenWritten } = lineWriter(terminal.output);
  let state = beginForm(fields);
  while (state.end === null) {
    const field = state.fields[state.at];
    if (field === undefined) break;
    const { label, hint, isSecret } = field;
    const hintText = isSecret ? 'Typed or pasted; nothing of it is shown.' : hint;
    const promptLines = [...(state.problem === null ? [] : [state.problem]), `${label}.`, hintText];
    const prompt = (): void => {
      for (const line of promptLines) write(`${escape(line)}\n`);
      write('Answer, or leave: ');
    };
    const typedLine = await (isSecret ? readHidden : readPlain)(terminal, signal, prompt);
    if (isSecret || typeof typedLine === 'string') write('\n');
    state = applyLine(state, typedLine);
  }
  await whenWritten();
  return state;
}

function applyLine(state: FormState, typedLine: TypedLine): FormState {
  const key = (name: KeyName): FormMessage => ({ type: 'key', key: name });
  if (typedLine === 'stopped') return reduceForm(state, { type: 'stop' });
  if (typedLine === 'left' || typedLine.text.trim().toLowerCase() === 'leave')
    return reduceForm(state, key('escape'));
  const messages = [key('clear'), { type: 'text', text: typedLine.text } as const, key('enter')];
  return messages.reduce(reduceForm, state);
}

function readPlain(terminal: Terminal, signal: AbortSignal, prompt: () => void): Promise<TypedLine> {
  return new Promise((resolve) => {
    const end = (result: TypedLine): void => {
      signal.removeEventListener('abort', stop);
      lines.close();
      resolve(result);
    };
    const stop = (): void => end('stopped');
    const lines = openLines(terminal, (line) =>
      end(line === null || line === '\u001b' ? 'left' : { text: line }),
    );
    prompt();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
