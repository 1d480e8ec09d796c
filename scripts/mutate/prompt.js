/** Mistakes in the dialogue: what Enter does, and what a code is worth. */
import { inRoom } from './mutant.js';

const code = inRoom('prompt', 'prompt/reduce');
const reduce = inRoom('prompt', 'prompt/reduce');
const answers = inRoom('prompt', 'prompt/reduce');

export const prompt = [
  code('pressEnter', 'a code of unusual length is sent without a question', [
    'step.text.length !== USUAL_CODE_LENGTH && step.text !== step.doubted',
    'false',
  ]),
  code('problemOf', 'a code that has expired is sent, and ends the pay-in', [
    'if (codeLeftMs(state) === 0) return',
    'if (codeLeftMs(state) === -1) return',
  ]),
  code('problemOf', 'an Enter too early is sent as a code', [
    'return isCode(code) ?',
    'return code.length > 0 ?',
  ]),
  reduce('pressInSummary', 'real money goes out at any word', [
    "step.typed.trim().toLowerCase() !== 'yes'",
    "step.typed.trim().toLowerCase() === 'no'",
  ]),
  reduce('leave', 'who leaves during a call does not end it', [
    "{ ...step, leaving: how } }, { type: 'abort' });",
    '{ ...step, leaving: how } });',
  ]),
  reduce('reduce', 'a clock that goes back gives a code more time', [
    'Math.max(state.nowMs, message.nowMs)',
    'message.nowMs',
  ]),
  answers('takeEnd', 'the end of an earlier call counts for this one', [
    "if (step.step !== 'busy' || step.call !== call)",
    "if (step.step !== 'busy')",
  ]),
  answers('continueByStatus', 'a code can be asked for without end', [
    'resendsLeft: Math.max(0, before.resendsLeft - 1)',
    'resendsLeft: before.resendsLeft',
  ]),
];
