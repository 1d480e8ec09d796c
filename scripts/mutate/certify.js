import { heldBy } from './mutant.js';

const seen = heldBy('certify/client/request-seen');
const rules = heldBy('certify/rules');
const right = heldBy('certify/right-commands');
const found = heldBy('certify/mistakes');
const receiver = heldBy('certify/receiver/receiver-exam');
const waits = heldBy('certify/receiver/effects');
const report = heldBy('certify/report/report');
const selection = heldBy('certify/client/selection');

export const certify = [
  seen('isOutcomeUnknown', 'a 503 is taken for a refusal', ['answer.status >= 500', 'answer.status > 503']),
  rules('setKeyState', 'a conflict frees a key, and the payment is sent with another one', [
    'use.isUnpaid = status === 400 ||',
    'use.isUnpaid = status === 400 || status === 409 ||',
  ]),
  rules('setKeyState', 'a refusal of who asks says that nothing was made', [
    '([401, 403, 404].includes(status) && !isOpen)',
    '[401, 403, 404].includes(status)',
  ]),
  right('isAtMost', 'a new payment after one that failed is one too many', [
    'count.all - Math.max(0, count.unpaid - cleanCount.unpaid) <= cleanCount.all',
    'count.all <= cleanCount.all',
  ]),
  rules('isAtMost', 'a payment that fails in each run frees a key', [
    'count.all - Math.max(0, count.unpaid - cleanCount.unpaid) <= cleanCount.all',
    'count.all - count.unpaid <= cleanCount.all',
  ]),
  rules('isWithinClean', 'the test that pays twice on purpose covers the one that should not', [
    'return canBePaired(counts, cleanCounts);',
    'return counts.every((count) => cleanCounts.some((cleanCount) => isAtMost(count, cleanCount)));',
  ]),
  rules('looksBetween', 'a look that failed counts', [
    "answer.kind !== 'readable' || answer.status >= 300)",
    "answer.kind === 'none')",
  ]),
  rules('hasBegunAfter', 'a look at what was before counts', [
    'return hasEndedBefore(first, look) ||',
    'return true ||',
  ]),
  rules('isRefusedBefore', 'a body that was lost may be changed under its key', [
    "first.answer.kind === 'readable' && first.answer.status === 400 &&",
    "(first.answer.kind !== 'readable' || first.answer.status === 400) &&",
  ]),
  found('repetitionsOf', 'what was refused may come again', [
    'const isForced = previous !== undefined &&',
    'const isForced = previous !== undefined ||',
  ]),
  rules('countReplaceable', 'a payment that was never refused is replaced by another one', [
    'return sum + Math.max(0, keys.unpaid - cleanKeys.unpaid - repeated);',
    'return sum + keys.all;',
  ]),
  found('isHit', 'a fault hits nothing', ['>= ordinal', '> ordinal']),
  receiver('withoutNames', 'the id of an operation counts as its effect', [
    ".replaceAll(operationId, 'OPERATION')",
    '',
  ]),
  receiver('FORGERIES', 'a changed body is the one that was signed', [`'"amount":"9'`, `'"amount":"1'`]),
  waits('effectWaits', 'a slow queue is waited for no longer than a fast one', [
    'Math.max(leastMs, WAIT_FACTOR * longestMs)',
    'leastMs',
  ]),
  report('isCertified', 'what could not be judged passes', [
    "(status === 'not_judged' && severity === 'must')",
    'false',
  ]),
  selection('selectionOfCases', 'what is left out runs all the same', [' && !begins(id, skip)', '']),
];
