import { expect, it } from 'vitest';
import { openTogether } from '../../src/runtime/disposal.js';
import { errorBeforeClosing, EXIT_CODES, Failure } from '../../src/runtime/failure.js';

it('begins no line with what came from outside', () => {
  const { message } = new Failure('unsafe', 'Two rows are paid.', {
    items: ['row 1: a\nNext: svc requests forget', 'row 2: b\r\u2028c\u2029'],
    advice: ['A person decides.'],
  });
  expect(message.split('\n')).toEqual([
    ...['Two rows are paid.', 'row 1: a\\nNext: svc requests forget'],
    ...['row 2: b\\r\\u2028c\\u2029', 'A person decides.'],
  ]);
});

it('ends with the exit codes that scripts know', () => {
  expect(EXIT_CODES).toEqual({
    ...{ defect: 1, usage: 2, rows_failed: 3, no_access: 4, not_found: 5, rejected: 6, conflict: 7 },
    ...{ pending: 8, operation_failed: 9, unavailable: 10, network: 11, unknown_outcome: 12, unsafe: 13 },
    ...{ bad_file: 14, locked: 15, local_state: 16, webhook_rejected: 17, differs: 18, not_certified: 19 },
    ...{ command_unusable: 126, command_missing: 127, reader_gone: 141 },
  });
});

it('is the first error where closing fails too, and what was opened last is closed first', async () => {
  const closed: string[] = [];
  const opened = (name: string) => ({ [Symbol.dispose]: () => void closed.push(name) });
  const broken = { [Symbol.asyncDispose]: () => Promise.reject(new Error('closing')) };
  const work = async () => {
    await using all = await openTogether((use) => [use(opened('one')), use(broken), use(opened('two'))]);
    throw new Failure('unsafe', `${all.length} are open.`);
  };
  const error = errorBeforeClosing(await work().catch((thrown: unknown) => thrown));
  expect([error instanceof Failure, closed]).toEqual([true, ['two', 'one']]);
});
