import { heldBy } from './mutant.js';

const code = heldBy('payments/dialogue/reduce');
const reduce = heldBy('payments/dialogue/reduce');
const answers = heldBy('payments/dialogue/reduce');

export const prompt = [
  code('pressEnter', 'a code of unusual length is sent without a question', [
    'step.text.length !== USUAL_CODE_LENGTH && step.text !== step.warnedCode',
    'false',
  ]),
  code('problemOf', 'a code that has expired is sent, and ends the pay-in', [
    'if (remainingCodeMs(state) === 0) return',
    'if (remainingCodeMs(state) === -1) return',
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
    "{ ...step, endAfterCall: end } }, { type: 'abort' });",
    '{ ...step, endAfterCall: end } });',
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
    'resendsLeft: Math.max(0, previous.resendsLeft - 1)',
    'resendsLeft: previous.resendsLeft',
  ]),
];
