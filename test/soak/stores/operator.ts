import { spawn } from 'node:child_process';
import { endOf, environment } from '../../support/program.js';
import type { Told } from '../sandbox.js';
import type { Machine } from './mishaps.js';

export interface Operator {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly look: () => Promise<readonly Told[]>;
}

type Ended = Awaited<ReturnType<typeof type>>;

const RUNS_MAX = 12;

export async function type(
  { program, env }: Operator,
  { home }: Machine,
  command: string,
  onStart?: (kill: () => void) => void,
) {
  const svc = `svc() { '${process.execPath}' '${program}' "$@"; };`;
  // With a single command, `exec` replaces the shell, so a kill ends the program itself.
  const alone = command.replace(/^svc /, `exec '${process.execPath}' '${program}' `);
  const line = onStart === undefined ? `${svc} ${command}` : alone;
  const child = spawn('bash', ['-c', line], {
    env: environment(home, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onStart?.(() => void child.kill('SIGKILL'));
  return endOf(child);
}

export async function carryThrough(
  operator: Operator,
  machine: Machine,
  command: string,
): Promise<string | null> {
  let said = '';
  for (let [run, next] = [0, command]; run < RUNS_MAX; run += 1) {
    const ended = await type(operator, machine, next);
    if (ended.code === 0 || ended.code === 3) return null;
    const error = printed(ended);
    said = `${String(ended.code)} ${next}: ${error?.message ?? ended.stderr}`;
    if (error === null) return said;
    if (error.code === 'batch_finished') return null;
    const retry = ended.code === 12 ? await decide(operator, machine, ended) : null;
    if (retry === null && error.next_command === null) return said;
    next = retry ?? error.next_command ?? next;
  }
  return said;
}

async function decide(operator: Operator, machine: Machine, { stdout }: Ended): Promise<string | null> {
  const { batch } = JSON.parse(stdout) as { batch: string };
  const open = `svc batches export --state needs_review -o ndjson -- ${batch}`;
  const { stdout: rows } = await type(operator, machine, open);
  let isAnyFailed = false;
  for (const line of rows.split('\n').filter((text) => text !== '')) {
    const { reference } = JSON.parse(line) as { reference: string };
    const resolve = `svc batches resolve --reference ${reference} --json`;
    const first = (await operator.look()).find((operation) => operation.reference === reference);
    const how = first === undefined ? '--not-paid' : `--operation ${first.id}`;
    const { code } = await type(operator, machine, `${resolve} ${how} -- ${batch}`);
    if (code === 0 && first === undefined) isAnyFailed = true;
  }
  return isAnyFailed ? `svc batches retry --failed --json -- ${batch}` : null;
}

export function printed({ stderr }: Pick<Ended, 'stderr'>) {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{"error"')) return null;
  return (JSON.parse(last) as { error: { code: string; message: string; next_command: string | null } })
    .error;
}
