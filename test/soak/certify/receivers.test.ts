import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECEIVER_CASES } from '../../../src/certify/receiver/cases.js';
import { BROKEN_SHOPS, RIGHT_SHOPS } from '../../certify/controls/receivers/shop.js';
import { receivers, type Receivers } from '../../certify/support/receivers.js';
import { examFigures } from './figures.js';

const isSoak = process.env['SOAK'] !== undefined;
const EXPECTED: readonly (readonly [mode: string, own: readonly string[]])[] = [
  ...RIGHT_SHOPS.map((mode) => [mode, []] as const),
  ...Object.entries(BROKEN_SHOPS),
];

const counted = examFigures('Exams of receivers');
let all: Receivers;
beforeAll(() => {
  all = receivers();
});
afterAll(() => {
  all.end();
  counted.record();
});

describe.runIf(isSoak)('every receiver fails its own case and no other', () => {
  it.each(EXPECTED)('%s', { timeout: 300_000 }, async (mode, expected) => {
    const { own, whole } = await all.examine(await all.serve([mode]), mode);
    expect(own, JSON.stringify(whole)).toEqual([...expected]);
    counted.add(expected.length > 0, RECEIVER_CASES.length, whole.length);
  });
});
