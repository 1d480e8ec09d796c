import { describe, expect, it } from 'vitest';
import { bodyMembersOf } from '../../../src/client/request.js';
import { subjectOf as aboutMembers, isRepeatable } from '../../../src/storage/journal/request.js';
import { body, HOUR_MS } from './given.js';

const aboutOf = (endpoint: 'payins.create' | 'payouts.create', bytes: Uint8Array) =>
  aboutMembers(endpoint, bytes, bodyMembersOf(bytes));

const MINUTE_MS = 60_000;

describe('isRepeatable', () => {
  it.each([
    ['at once', 0, true],
    ['after 23 hours to the millisecond', 23 * HOUR_MS, true],
    ['a millisecond later', 23 * HOUR_MS + 1, false],
    ['after as long as there is', Number.MAX_SAFE_INTEGER, false],
    ['ten minutes before it left: the clocks of a service are that far apart', -10 * MINUTE_MS, true],
    ['earlier than that: its age says nothing', -10 * MINUTE_MS - 1, false],
  ])('%s', (_name, ageMs, expected) => expect(isRepeatable(ageMs)).toBe(expected));
});

describe('what a request is about', () => {
  const markOf = (text: string | Buffer): string =>
    Buffer.from(aboutOf('payouts.create', Buffer.from(text)).bodyMark).toString('hex');

  it('has the same mark for a body however it is written, and another for another value', () => {
    const mark = markOf('{"amount":"10.00","method":"x"}');
    expect(markOf(' {"method" : "\\u0078",\n"amount":"10.00"}')).toBe(mark);
    expect(markOf('{"amount":"10.01","method":"x"}')).not.toBe(mark);
    expect(markOf('{"amount":"10.0","method":"x"}')).not.toBe(mark);
  });

  it('has a mark of its bytes for a body that is no JSON', () => {
    expect(markOf(Buffer.from([0x7b, 0xff]))).toBe(markOf(Buffer.from([0x7b, 0xff])));
    expect(markOf(Buffer.from([0x7b, 0xff]))).not.toBe(markOf(Buffer.from([0x7b, 0xfe])));
  });

  it.each([
    ['none', {}],
    ['null', { reference: null }],
    ['a number', { reference: 7 }],
    ['blank', { reference: '  ' }],
  ])('has no mark of a reference that is %s', (_name, members) => {
    expect(aboutOf('payouts.create', body(members)).referenceMark).toBeNull();
  });

  it('has one mark for all spellings of a reference', () => {
    const markOf = (reference: string) => aboutOf('payouts.create', body({ reference })).referenceMark;
    const marks = ['Emp 5', ' emp  5', 'ＥＭＰ 5'].map(markOf);
    expect(marks[0]).toHaveLength(16);
    expect(marks).toEqual([marks[0], marks[0], marks[0]]);
  });

  it('knows which way the money goes, the amount and the currency as they were sent', () => {
    const members = { amount: '10.0', currency: 'ves' };
    expect(aboutOf('payins.create', body(members))).toMatchObject({ direction: 'payin', ...members });
    const nothing = { direction: 'payout', amount: null, currency: null };
    expect(aboutOf('payouts.create', Buffer.from('[1]'))).toMatchObject(nothing);
  });

  it.each([
    [{ account_number: '0105-0012 345X' }, '345x'],
    [{ account_number: '12' }, '12'],
    [{ phone: '04121234567' }, '4567'],
    [{ account_number: '--' }, null],
    [{ name: 'A' }, null],
  ])('of %j says the last four of the account: %s', (beneficiary, tail) => {
    expect(aboutOf('payouts.create', body({ beneficiary })).accountTail).toBe(tail);
  });

  it('has one mark for metadata however it is written, and for none', () => {
    const mark = (text: string): string =>
      Buffer.from(aboutOf('payouts.create', Buffer.from(text)).metadataMark).toString('hex');
    expect(mark('{"metadata":{"a":1,"b":[2]}}')).toBe(mark('{"metadata": {"b":[2], "a":1}}'));
    expect(mark('{"metadata":{"a":1}}')).not.toBe(mark('{"metadata":{"a":2}}'));
    expect([mark('{}'), mark('{"metadata":null}')]).toEqual([mark('{"metadata":{}}'), mark('{}')]);
    expect(mark('no json')).not.toBe(mark('no json!'));
  });
});
