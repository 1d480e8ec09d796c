import { spawn, type SpawnOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '../house/source.js';
import { testFolder } from '../support/test-folder.js';

export interface Project {
  readonly folder: string;
  readonly old: readonly string[];
}

export const RUNTIME = 'node_modules/.bin/node';

export function makeProject(start: string, { hasRuntime = true } = {}): Project {
  const folder = testFolder();
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(ROOT, 'dist/begin.cjs'), join(folder, 'dist/begin.cjs'));
  put(folder, 'package.json', '{ "type": "module" }');
  putPack(folder, [['main.js', `exports.start = async () => {\n${start}\n};`]]);
  put(folder, 'old.cjs', "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
  if (hasRuntime) {
    const runtime = `node_modules/node-${process.platform}-${process.arch}/bin/node`;
    chmodSync(put(folder, runtime, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`), 0o755);
    mkdirSync(join(folder, 'node_modules/.bin'));
    symlinkSync(join('../..', runtime), join(folder, RUNTIME));
  }
  return { folder, old: ['--require', join(folder, 'old.cjs'), join(folder, 'bin/run.js')] };
}

const { write } = createRequire(import.meta.url)('../../bin/container.js') as {
  write(facts: object, parts: Iterable<readonly [string, Uint8Array]>): Buffer;
};
export const { WRAPPER } = createRequire(import.meta.url)('../../bin/program.js') as {
  WRAPPER: readonly [string, string];
};

/** The id follows from the content, because V8 tells two sources apart by their lengths alone. */
export function putPack(folder: string, chunks: readonly (readonly [name: string, code: string])[]): string {
  const id = createHash('sha256').update(JSON.stringify(chunks)).digest('hex').slice(0, 32);
  const parts = chunks.map(([name, code]) => [name, Buffer.from(WRAPPER[0] + code + WRAPPER[1])] as const);
  put(folder, 'dist/svc.pack', write({ id }, parts));
  return id;
}

export function put(folder: string, name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

export function run(args: readonly string[], options: SpawnOptions = {}) {
  const child = spawn(process.execPath, args, options);
  let text = '';
  child.stdout?.on('data', (chunk) => (text += String(chunk)));
  child.stderr?.on('data', (chunk) => (text += String(chunk)));
  return {
    child,
    text: () => text,
    ended: new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal })),
    ),
    shows: (pattern: RegExp): Promise<RegExpExecArray> =>
      new Promise((resolve) => {
        const look = (): void => {
          const match = pattern.exec(text);
          if (match === null) setTimeout(look, 10);
          else resolve(match);
        };
        look();
      }),
  };
}

export async function written(
  args: readonly string[],
  options: SpawnOptions = {},
  code = 0,
): Promise<string> {
  const { ended, text } = run(args, options);
  expect(await ended).toEqual({ code, signal: null });
  return text();
}

export function changeAt(file: string, place: number): void {
  const bytes = readFileSync(file);
  bytes[place]! ^= 1;
  writeFileSync(file, bytes);
}
