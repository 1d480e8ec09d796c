/** A line that was printed to be typed, as a shell reads it. */
import { execFileSync } from 'node:child_process';

/** What the program of that name would be given; what is piped to it is let pass. */
export function wordsInShell(line: string, name = 'svc'): string[] {
  const script = `${name}() { cat > /dev/null; for word in "$@"; do printf '%s\\0' "$word"; done; }; ${line}`;
  return execFileSync('sh', ['-c', script], { input: '', encoding: 'utf8' }).split('\0').slice(0, -1);
}

/** Does what a line says that was printed to be typed. */
export function runInShell(line: unknown, folder = '/'): void {
  execFileSync('sh', ['-c', String(line)], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}
