import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ROOT } from '../house/source.js';
import { environment, shell, SHELL_COMMAND, type Ended } from './program.js';
import { testFolder } from './test-folder.js';

export function pageOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function blockOf(page: string, name: string): string {
  const [, text = ''] = new RegExp(`^\`\`\`\\w+ ${name}\\n([^]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  expect(text, name).not.toBe('');
  return text;
}

export function namesIn(page: string): string[] {
  return [...page.matchAll(/^```(\w+ .*|\w+)$/gm)].map(([, name = '']) => name);
}

export function blocksOf(language: string, text: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  );
}

export function linesOf(block: string): string[] {
  const lines = block.replaceAll(/\\\n\s*/g, ' ').split('\n');
  return lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

type Env = Readonly<Record<string, string>>;
export type Machine = ReturnType<typeof machine>;

export function machine() {
  const home = testFolder();
  const running = new Set<ChildProcess>();
  onTestFinished(() => {
    for (const child of running) child.kill('SIGKILL');
  });
  const put = (name: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
    chmodSync(join(home, name), mode);
  };
  put('bin/svc', `#!/bin/sh\nexec ${SHELL_COMMAND} "$@"\n`, 0o755);
  const prelude = `unset -f svc; export PATH="$HOME/bin:${dirname(process.execPath)}:$PATH"; cd "$HOME";`;
  const paste = (script: string, env: Env = {}): Promise<Ended> =>
    shell(`${prelude}\n${script}`, home, { env });
  return {
    ...{ home, put, paste },
    codes: async (lines: readonly string[], env?: Env): Promise<[Ended, number[]]> => {
      const ended = await paste(lines.map((line) => `${line}\necho "exit $?"`).join('\n'), env);
      const codes = [...ended.stdout.matchAll(/^exit (\d+)$/gm)].map(([, code]) => Number(code));
      return [ended, codes];
    },
    until: async (line: string, holds: (text: string) => unknown): Promise<number | null> => {
      const child = spawn('bash', ['-c', `${prelude}\nexec ${line}`], { env: environment(home) });
      running.add(child);
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => (text += String(chunk)));
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      await expect.poll(async () => ((await holds(text)) ? 'so' : text), { timeout: 20_000 }).toBe('so');
      child.kill('SIGINT');
      return ended;
    },
  };
}
