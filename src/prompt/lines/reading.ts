/** What a typed line means at each step of the dialogue, as the keys that the reducer knows. Pure. */
import type { KeyName, Message, State, Step } from '../dialogue.js';
import { questionAt } from '../fields-step.js';
import { matching, type Option } from '../question.js';

/** What to tell the dialogue, or what to say where the line means nothing here. */
export type Read =
  { readonly messages: readonly Message[] } | { readonly again: string; readonly list?: readonly Option[] };

const key = (name: KeyName): Message => ({ type: 'key', key: name });
const text = (typed: string): Message => ({ type: 'text', text: typed });
const ESCAPE = String.fromCharCode(27);

/** @param line as it was typed, without its end */
export function readLine(state: State, line: string): Read {
  const typed = line.trim();
  const word = typed.toLowerCase();
  if (word === 'leave' || typed === ESCAPE) return { messages: [key('escape')] };
  const { step } = state;
  switch (step.step) {
    case 'fields':
      return readField(state, step, typed);
    case 'summary':
      return readSummary(state, word);
    case 'code':
      if (word === 'new') return { messages: [key('clear'), key('down'), key('enter')] };
      // Enter alone sends what was asked about.
      return { messages: typed === '' ? [key('enter')] : [key('clear'), text(typed), key('enter')] };
    case 'menu':
      return readMenu(step, typed);
    case 'busy':
    case 'done':
      return { messages: [] };
  }
}

function readField(state: State, step: Extract<Step, { step: 'fields' }>, typed: string): Read {
  const question = questionAt(state, step);
  const options = question?.options ?? null;
  if (typed.toLowerCase() === 'back') return { messages: [key('backtab')] };
  if (options === null) {
    return { messages: typed === '' ? [key('enter')] : [key('clear'), text(typed), key('enter')] };
  }
  const isAnswered = state.answers[question?.path ?? ''] !== undefined;
  if (typed === '') return isAnswered ? { messages: [key('enter')] } : { again: CHOOSE };
  const found = optionsMeant(options, typed);
  const [only] = found;
  if (only === undefined) return { again: `No entry of the list matches. ${CHOOSE}` };
  if (found.length > 1) return { again: `${String(found.length)} match:`, list: found };
  const downs = Array<Message>(options.indexOf(only)).fill(key('down'));
  return { messages: [key('clear'), ...downs, key('enter')] };
}

const CHOOSE = 'Type a number, a code or a part of a name.';

/** By its code, by its number in the list, else by what its name holds. */
function optionsMeant(options: readonly Option[], typed: string): readonly Option[] {
  const same = options.filter(({ value }) => value.toLowerCase() === typed.toLowerCase());
  if (same.length > 0) return same;
  const numbered = /^[0-9]{1,3}$/.test(typed) ? options[Number(typed) - 1] : undefined;
  return numbered === undefined ? matching(options, typed) : [numbered];
}

function readSummary({ setting }: State, word: string): Read {
  if (word === 'back') return { messages: [key('up')] };
  if (setting.mustSayYes) return { messages: [key('clear'), text(word), key('enter')] };
  return word === 'yes' || word === 'y'
    ? { messages: [key('enter')] }
    : { again: 'Type yes, back or leave. Nothing was sent.' };
}

function readMenu({ options, marked }: Extract<Step, { step: 'menu' }>, typed: string): Read {
  const at = /^[0-9]{1,2}$/.test(typed) ? Number(typed) - 1 : -1;
  if (options[at] === undefined) return { again: 'Type one of these numbers.' };
  const downs = (at - marked + options.length) % options.length;
  return { messages: [...Array<Message>(downs).fill(key('down')), key('enter')] };
}
