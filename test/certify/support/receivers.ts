import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/runtime/clock.js';
import { ROOT } from '../../house/source.js';
import { environment } from '../../support/program.js';
import { freePort } from '../../support/serving.js';
import { world } from '../../support/svc.js';

const SECRET = 'whsec_of_the_receivers';
const CONTROLS = join(ROOT, 'test/certify/controls/receivers');
const DOCUMENT = readFileSync(join(ROOT, 'docs/receive-events.md'), 'utf8');

export const hasPython = spawnSync('python3', ['--version']).status === 0;

interface Served {
  readonly port: number;
  readonly effect: (mode: string) => string;
}

export type Receivers = ReturnType<typeof receivers>;

export function receivers() {
  const home = world();
  const folder = mkdtempSync(join(tmpdir(), 'svc-receivers-'));
  const running: ChildProcess[] = [];
  const env = (more: Readonly<Record<string, string>> = {}) =>
    environment(home.home, { WEBHOOK_SECRETS: SECRET, ...more });
  const start = (program: string, args: readonly string[], more = {}): ChildProcess => {
    const child = spawn(program, args, { env: env(more), stdio: ['ignore', 'pipe', 'ignore'] });
    running.push(child);
    return child;
  };
  const log = (): string => join(mkdtempSync(join(folder, 'log-')), 'effects');
  const counted = (path: string) => () => `grep -c "$SVC_OPERATION_ID" '${path}' || true`;

  return {
    serve: async (modes: readonly string[]): Promise<Served> => {
      const child = start(process.execPath, [join(CONTROLS, 'serve.js'), folder, ...modes]);
      const effect = (mode: string): string =>
        `cat '${folder}/${mode}'-"$SVC_OPERATION_ID" 2> /dev/null || echo none`;
      return { port: await portOf(child), effect };
    },
    serveQueue: async (): Promise<Served> => {
      const effects = log();
      writeFileSync(effects, '');
      const child = start('python3', [join(CONTROLS, 'queue.py'), effects]);
      return { port: await portOf(child), effect: counted(effects) };
    },
    serveDocumented: async (name: 'receiver.mjs' | 'receiver.py'): Promise<Served> => {
      const [, text = ''] =
        new RegExp(`^\`\`\`\\w+ ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(DOCUMENT) ?? [];
      const [path, effects] = [join(folder, name), log()];
      writeFileSync(path, text);
      writeFileSync(effects, '');
      const port = await freePort();
      const program = name.endsWith('.py') ? 'python3' : process.execPath;
      const child = start(program, [path], { PORT: String(port) });
      child.stdout?.on('data', (chunk: Buffer) => writeFileSync(effects, chunk, { flag: 'a' }));
      await listening(port);
      return { port, effect: counted(effects) };
    },
    examine: async ({ port, effect }: Served, mode: string) => {
      const words = ['--to', `http://127.0.0.1:${String(port)}/${mode}`, '--effect', effect(mode), '--quiet'];
      if (mode.startsWith('orders')) words.push('--given', `: > '${folder}'/order-"$SVC_OPERATION_ID"`);
      const env = { SVC_WEBHOOK_SECRET: SECRET, PATH: process.env['PATH'] ?? '' };
      const line = ['certify', 'receiver', ...words];
      const { exitCode, json } = await home.svc(line, { clock: systemClock, env });
      const cases = json()['cases'] as ({ id: string; status: string; and_so: string | null } & object)[];
      const whole = cases.filter(({ status }) => status !== 'passed');
      return { exitCode, own: whole.filter((one) => one.and_so === null).map(({ id }) => id), whole };
    },
    end: () => {
      for (const child of running) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
      home.remove();
    },
  };
}

async function portOf(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('it prints nothing');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return Number(line);
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}/`).catch(() => null);
    if (answer !== null) return;
    await systemClock.sleep(50);
  }
}
