import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderJson } from '../../src/command/printer.js';
import { createStyle } from '../../src/output/style.js';
import { bytes } from './samples.js';

/** A JSON parser would change repeated names, trailing zeros, numbers beyond 2^53 and white space. */
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

  it('is laid out on a terminal, every name and value in its own characters', () => {
    expect(renderJson(bytes(AWKWARD), true)).toBe(
      '{\n  "id": "...",\n  "x": 1.10,\n  "x": 2,\n  "n": 12345678901234567890,\n  "e": 1E+2,\n  "s": "\\u00e9\\/"\n}\n',
    );
    expect(renderJson(bytes('{"a":[],"b":{},"c":[1,{"d":null}]}'), true)).toBe(
      '{\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    {\n      "d": null\n    }\n  ]\n}\n',
    );
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(renderJson(bytes(text), true) as string)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('has names in colour where there is one, and what is no JSON as it came', async () => {
    const style = await createStyle(true);
    expect(renderJson(bytes('{"a":1}'), true, style)).toBe(`{\n  ${style.accent('"a"')}: 1\n}\n`);
    expect(renderJson(bytes('<html> {'), true, style)).toBe('<html> {\n');
  });

  it('shows on a terminal what could drive it', () => {
    expect(renderJson(bytes('{"a":"\u001b]0;x\u0007\u009b1m\u202e","n":1.10}'), true)).toBe(
      '{\n  "a": "\\u001b]0;x\\u0007\\u009b1m\\u202e",\n  "n": 1.10\n}\n',
    );
  });
});
