import { execFileSync } from 'node:child_process';

export function wordsInShell(line: string, name = 'svc'): string[] {
  const script = `${name}() { cat > /dev/null; for word in "$@"; do printf '%s\\0' "$word"; done; }; ${line}`;
  return execFileSync('sh', ['-c', script], { input: '', encoding: 'utf8' }).split('\0').slice(0, -1);
}

export function runInShell(line: unknown, folder = '/'): void {
  execFileSync('sh', ['-c', String(line)], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}
