import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stateSchema } from '../../../src/sandbox/state/document.js';
import { START_MS } from '../support/clock.js';
import { everything, exported, imported, live, opened, steps, type Step } from './life.js';
import { rounds } from '../../support/rounds.js';

const validate = new Ajv({ strict: false }).compile(JSON.parse(stateSchema()) as object);

const seen = new Set<string>();

it('comes out with the same bytes, of another sandbox too', () => {
  fc.assert(
    fc.property(steps, (all: Step[]) => {
      const one = opened('one');
      live(one, all);
      const document = exported(one.sandbox);
      expect(validate(JSON.parse(document)), JSON.stringify(validate.errors)).toBe(true);
      const other = opened('other', START_MS + 86_400_000);
      live(other, all.slice(0, 7));
      const { status, text } = imported(other.sandbox, document);
      expect(status, text).toBe(200);
      expect(exported(other.sandbox)).toBe(document);
      expect(imported(one.sandbox, document).status).toBe(200);
      expect(exported(one.sandbox)).toBe(document);
      for (const [what] of document.matchAll(
        /"verdict":\{"status":"[a-z]+"|"(?:status|pending_reason|kind|reason)":"[a-z_-]+"|"(?:after|pending)":true/g,
      ))
        seen.add(what);
      one.sandbox.close();
      other.sandbox.close();
    }),
    { numRuns: rounds(150), examples: [[everything]] },
  );
});

it('held operations in every state, deliveries in every state, and faults of several kinds', () => {
  expect([...seen]).toEqual(
    expect.arrayContaining(
      ['awaiting_code', 'awaiting_payment', 'processing']
        .map((reason) => `"pending_reason":"${reason}"`)
        .concat(
          ['confirmed', 'failed', 'pending', 'delivered'].map((status) => `"status":"${status}"`),
          ['status', 'outcome', 'delay', 'drop-after', 'truncated'].map((kind) => `"kind":"${kind}"`),
          ['"after":true', '"pending":true', '"verdict":{"status":"pending"'],
        ),
    ),
  );
});
