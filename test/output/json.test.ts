/** JSON output is the service's own bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderJson } from '../../src/output/json.js';
import { bytes } from './samples.js';

/** What no parser and printer would give back: repeated names, trailing zeros, numbers beyond 2^53, white space. */
const AWKWARD = '{ "id":"...","x":1.10,"x":2,\r\n\t"n":12345678901234567890,"e":1E+2,"s":"\\u00e9\\/" }\n';

describe('renderJson', () => {
  it('passes the bytes through and adds a newline', () => {
    expect(Buffer.from(renderJson(bytes(AWKWARD), false) as Uint8Array).toString('utf8')).toBe(
      `${AWKWARD}\n`,
    );
    fc.assert(
      fc.property(fc.uint8Array(), (any) => {
        expect([...(renderJson(any, false) as Uint8Array)]).toEqual([...any, 0x0a]);
      }),
    );
  });

  it('changes nothing on a terminal but what could drive it', () => {
    expect(renderJson(bytes(AWKWARD), true)).toBe(`${AWKWARD}\n`);
    expect(renderJson(bytes('{"a":"\u001b]0;x\u0007\u009b1m\u202e","n":1.10}'), true)).toBe(
      '{"a":"\\u001b]0;x\\u0007\\u009b1m\\u202e","n":1.10}\n',
    );
  });
});
