import { describe, expect, it } from 'vitest';
import { chooseMode, OUTPUT_MODES, type OutputFlags, type OutputShape } from '../../src/output/mode.js';
import { Failure } from '../../src/runtime/failure.js';

const refused = (flags: OutputFlags, shape: OutputShape, variable?: string): string => {
  try {
    chooseMode(flags, variable, false, shape);
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    expect((error as Failure).kind).toBe('usage');
    return (error as Failure).message;
  }
  throw new Error('was accepted');
};

describe('chooseMode', () => {
  it.each(['list', 'single'] as const)('is a table on a terminal and json elsewhere (%s)', (shape) => {
    expect(chooseMode({}, undefined, true, shape)).toBe('table');
    expect(chooseMode({}, undefined, false, shape)).toBe('json');
    expect(chooseMode({}, '', false, shape)).toBe('json');
  });

  it('obeys the flag on a list, on a terminal and elsewhere', () => {
    for (const mode of OUTPUT_MODES) {
      expect(chooseMode({ output: mode }, 'table', false, 'list')).toBe(mode);
      expect(chooseMode({ output: mode }, undefined, true, 'pages')).toBe(mode);
    }
    expect(chooseMode({ json: true }, 'csv', true, 'list')).toBe('json');
    expect(chooseMode({ json: true, output: 'json' }, undefined, true, 'single')).toBe('json');
  });

  it('takes SVC_OUTPUT as a preference: where it does not suit, the default holds', () => {
    expect(chooseMode({}, 'csv', true, 'list')).toBe('csv');
    expect(chooseMode({}, 'csv', true, 'single')).toBe('table');
    expect(chooseMode({}, 'csv', false, 'single')).toBe('json');
    expect(chooseMode({}, 'table', false, 'single')).toBe('table');
    expect(chooseMode({}, 'table', true, 'stream')).toBe('ndjson');
    expect(refused({}, 'list', 'yaml')).toContain('SVC_OUTPUT');
  });

  it('prints many pages as ndjson unless asked otherwise, and a stream always', () => {
    expect(chooseMode({}, undefined, true, 'pages')).toBe('ndjson');
    expect(chooseMode({ output: 'json' }, undefined, true, 'pages')).toBe('json');
    for (const flags of [{}, { json: true }, { output: 'json' }, { jq: '.' }, { output: 'ndjson' }]) {
      expect(chooseMode(flags, undefined, true, 'stream')).toBe('ndjson');
    }
  });

  it('reads JSON where it is filtered', () => {
    expect(chooseMode({ jq: '.id' }, 'csv', true, 'single')).toBe('json');
    expect(chooseMode({ jq: '.id' }, undefined, true, 'pages')).toBe('ndjson');
    expect(chooseMode({ jq: '.id', output: 'ndjson' }, undefined, true, 'list')).toBe('ndjson');
    expect(refused({ jq: '.id', output: 'table' }, 'list')).toContain('--jq');
    expect(refused({ jq: '.id', output: 'csv' }, 'list')).toContain('--jq');
  });

  it('refuses what contradicts itself, is unknown, or does not suit the command', () => {
    for (const output of ['table', 'ndjson', 'csv'])
      expect(refused({ json: true, output }, 'list')).toContain(output);
    expect(refused({ output: 'yaml' }, 'list')).toContain('table, json, ndjson or csv');
    expect(refused({ output: 'csv' }, 'single')).toContain('lists');
    for (const output of ['table', 'csv']) expect(refused({ output }, 'stream')).toContain(output);
  });
});
