import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Change } from '../../../../scripts/mutate/places.js';
import { buildProgram } from '../../../support/variant.js';
import { WHOLE, type Program } from '../program.js';
import type { Family } from './history.js';

const CONTENTS = `
export { run } from './src/main.js';
export { NotAnswered } from './src/runtime/transport.js';
`;

const SHARED: Change = { within: 'mirrorsIn', changes: [['isShared: false', 'isShared: true']] };

const built = new Map<string, Promise<Program>>();

export function programOf(
  family: Family,
  without: { readonly name: string; readonly changes: readonly Change[] } | null = null,
): Promise<Program> {
  const changes = [...(family === 'forged' ? [SHARED] : []), ...(without?.changes ?? [])];
  if (changes.length === 0) return Promise.resolve(WHOLE);
  const name = `singles-${family === 'forged' ? 'shared' : 'local'}-${without?.name ?? 'whole'}`;
  const program = built.get(name) ?? load(name, changes);
  built.set(name, program);
  return program;
}

async function load(name: string, changes: readonly Change[]): Promise<Program> {
  const path = await buildProgram(name.replaceAll(/[^a-z]+/g, '-'), CONTENTS, changes, { isOneFile: true });
  try {
    return (await import(path)) as Program;
  } finally {
    rmSync(dirname(path), { recursive: true });
  }
}
