/** A shell that outlives this process, however that ends, and does then what was left to it. */
import { spawn } from 'node:child_process';

/**
 * @param script what is done, with `$1` as what it is done to; its output goes nowhere
 * @returns says that there is nothing to do any more
 */
export function leaveToSurvivor(script: string, about: string): () => void {
  // Standard input ends with this process; a line before that is the word to go.
  const survivor = spawn('/bin/sh', ['-c', `read -r done || { ${script}; }`, 'sh', about], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  survivor.once('error', () => undefined);
  survivor.stdin.on('error', () => undefined);
  return () => survivor.stdin.end('done\n');
}
