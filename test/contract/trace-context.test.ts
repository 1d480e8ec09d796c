import { expect, it } from 'vitest';
import { readTraceparent } from '../../src/client/request.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

it.each([
  `00-${TRACE}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}-00`,
  `cc-${TRACE}-${PARENT}-01-what-comes.later`,
])('%s is passed on as it is', (text) => expect(readTraceparent(text)).toBe(text));

it.each([
  ...[undefined, '', 'nonsense', `00-${TRACE}-${PARENT}-01-more`, `ff-${TRACE}-${PARENT}-01`],
  ...[`00-${TRACE.toUpperCase()}-${PARENT}-01`, `00-${'0'.repeat(32)}-${PARENT}-01`],
  ...[`00-${TRACE}-${'0'.repeat(16)}-01`, `00-${TRACE}-${PARENT}`, ` 00-${TRACE}-${PARENT}-01`],
  ...[`00-${TRACE}-${PARENT}-01\r\nx-evil: 1`, `cc-${TRACE}-${PARENT}-01-\u00e9`],
])('%j is not', (text) => expect(readTraceparent(text)).toBeUndefined());
