/** The machine's zone: `TZ` decides, and the offset is the one at the moment that is asked for. */
import { afterEach, expect, it } from 'vitest';
import { systemZone } from '../../src/runtime/zone.js';

const { TZ } = process.env;
afterEach(() => {
  process.env['TZ'] = TZ;
});

it.each([
  ['UTC', '2026-07-01T00:00:00Z', 0],
  ['America/Caracas', '2026-07-01T00:00:00Z', -240],
  ['Asia/Kolkata', '2026-07-01T00:00:00Z', 330],
  ['Asia/Kathmandu', '2026-07-01T00:00:00Z', 345],
  ['America/St_Johns', '2026-01-01T00:00:00Z', -210],
  ['Europe/Berlin', '2026-03-29T00:59:59Z', 60],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', 120],
  ['Europe/Berlin', '2026-10-25T00:59:59Z', 120],
  ['Europe/Berlin', '2026-10-25T01:00:00Z', 60],
  ['Australia/Lord_Howe', '2026-01-01T00:00:00Z', 660],
  ['Australia/Lord_Howe', '2026-07-01T00:00:00Z', 630],
])('%s at %s is %i minutes east of UTC', (name, at, minutes) => {
  process.env['TZ'] = name;
  // Zero of either sign is no offset.
  expect(systemZone.offsetMinutes(Date.parse(at)) + 0).toBe(minutes);
});
