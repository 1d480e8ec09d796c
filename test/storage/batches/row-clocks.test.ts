import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clocksText, sentMomentOf } from '../../../src/storage/batches/row-clocks.js';

const ms = fc.integer({ min: 0, max: 8e15 });

it('gives back the moment', () => {
  fc.assert(
    fc.property(ms, ms, fc.string(), ms, fc.boolean(), (sentAtMs, wallMs, bootId, bootMs, isProved) => {
      const moment = { serviceMs: isProved ? sentAtMs : null, wallMs, bootId, bootMs };
      expect(sentMomentOf(sentAtMs, clocksText(moment))).toEqual(moment);
      expect(sentMomentOf(sentAtMs, clocksText(moment), 7)).toEqual({ ...moment, sharedMs: 7 });
    }),
  );
});

const DAMAGED = ['', 'x', '[]', '{}', '[true]', '[true,"1","b",2]', '[true,1,2,3]', '[1,null,"b",3]'];
it.each(DAMAGED)('proves nothing where it holds %j', (text) => {
  expect(sentMomentOf(5, text).serviceMs).toBeNull();
  expect(sentMomentOf(5, text, 7).serviceMs).toBeNull();
});

it("has the service's time where machines share what the service has told, and in a file nothing", () => {
  expect(sentMomentOf(5, null, 7)).toMatchObject({ serviceMs: 5, bootId: '', sharedMs: 7 });
  expect(sentMomentOf(5, null).serviceMs).toBeNull();
});
