import { describe, expect, it } from 'vitest';
import { printerOfAnything } from '../../src/command/printer.js';
import type { GlobalFlags } from '../../src/command/command.js';
import type { Ports } from '../../src/runtime/ports.js';
import type { DataOutput } from '../../src/runtime/streams.js';
import { fresh } from '../support/fresh.js';
import { world } from '../support/svc.js';

const here = fresh(world);

function heard(isTTY: boolean): { ports: Ports; out: () => Buffer; err: () => string } {
  const chunks: { out: Buffer[]; err: Buffer[] } = { out: [], err: [] };
  const into = (list: Buffer[], terminal: boolean): DataOutput => ({
    isTTY: terminal,
    columns: 80,
    write: (chunk) => {
      list.push(Buffer.from(chunk));
      return Promise.resolve();
    },
    durable: () => Promise.resolve(),
  });
  const ports = { ...here.ports, output: into(chunks.out, isTTY), errors: into(chunks.err, false) };
  return { ports, out: () => Buffer.concat(chunks.out), err: () => Buffer.concat(chunks.err).toString() };
}

const flags = (output: string, quiet = false): GlobalFlags => ({ output, quiet }) as GlobalFlags;
const CONTROLS = Buffer.from('{"list":[{"a":"\u001b[31m\u009b2J');
const WILD = Buffer.concat([CONTROLS, Buffer.from([0xff]), Buffer.from('"}]}')]);

it.each(['csv', 'ndjson', 'json'])(
  'on a terminal %s drives nothing, and shows bytes that are no text',
  async (form) => {
    const { ports, out } = heard(true);
    const printer = await printerOfAnything(ports, flags(form), 'list');
    await printer.answer(WILD);
    const text = out().toString('utf8');
    for (const control of ['\u001b', '\u009b']) expect(text).not.toContain(control);
    expect(text).toContain('\\u001b[31m\\u009b2J');
    if (form !== 'csv') expect(text).toContain('\\xff');
  },
);

it.each(['json', 'ndjson'])('in a pipe %s is the bytes themselves', async (form) => {
  const { ports, out } = heard(false);
  await (await printerOfAnything(ports, flags(form), 'list')).answer(WILD);
  expect(out().includes(0xff)).toBe(true);
});

describe('csv', () => {
  const page = (element: object): Buffer => Buffer.from(JSON.stringify({ list: [element] }));

  it('has one header for all pages, and names the fields that came too late for it, once', async () => {
    const { ports, out, err } = heard(false);
    const printer = await printerOfAnything(ports, flags('csv'), 'list');
    await printer.answer(page({ a: 1 }));
    await printer.answer(page({ a: 2, b: 'x', 'c\u001b': 'y' }));
    await printer.answer(page({ a: 3, b: 'z' }));
    expect(out().toString()).toBe('a\n1\n2\n3\n');
    expect(err()).toBe('Not in the csv, because its header was already written: b, c\\u001b\n');
  });

  it('says nothing with --quiet', async () => {
    const { ports, err } = heard(false);
    const printer = await printerOfAnything(ports, flags('csv', true), 'list');
    await printer.answer(page({ a: 1 }));
    await printer.answer(page({ b: 2 }));
    expect(err()).toBe('');
  });
});
