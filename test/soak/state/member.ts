/** A process of the program that works at a batch: it is stopped, goes on and is killed by signals, and what it said is kept. */
import { spawn } from 'node:child_process';
import { endOf } from '../../support/program.js';

/** A process at work. */
export type Member = ReturnType<typeof startMember>;
export type Run = Awaited<Member['ended']>;

/** @param program its path; one that is still being built is waited for */
export function startMember(
  program: string | Promise<string>,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
) {
  let isOver = false;
  const early: NodeJS.Signals[] = [];
  let send = (name: NodeJS.Signals): unknown => early.push(name);
  const run = async () => {
    const line = [await program, ...words];
    const child = spawn(process.execPath, line, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    send = (name) => child.kill(name);
    for (const name of early) send(name);
    return endOf(child).finally(() => (isOver = true));
  };
  return {
    ended: run(),
    isOver: () => isOver,
    signal: (name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT') => void send(name),
  };
}
