import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { COMMAND, environment, firstLine } from '../support/program.js';

export interface Told {
  readonly id: string;
  readonly reference: string;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

export async function startSandbox(store: string, home: string, ...more: readonly string[]) {
  const [program, ...first] = COMMAND;
  const port = more.includes('--port') ? [] : ['--port', '0'];
  const line = [...first, 'sandbox', 'start', ...port, '--store', store, '--json', ...more];
  const env = environment(home);
  const child = spawn(program, line, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'close') as Promise<[number | null]>;
  type Ready = Record<'base_url' | 'sandbox_base_url' | 'api_key', string>;
  const ready = JSON.parse(await firstLine(child)) as Ready;
  const { base_url: base, sandbox_base_url: url, api_key: key } = ready;
  const read = async <T>(path: string): Promise<T> => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    return (await answer.json()) as T;
  };
  return {
    ...{ port: Number(new URL(url).port), base, key },
    operations: (): Promise<readonly Told[]> => readFeed(read),
    balance: async () => {
      const { balances } = await read<{ balances: Record<string, string>[] }>('/v2/balances');
      return balances.find(({ currency }) => currency === 'VES')?.['available'] ?? '0.00';
    },
    advance: async (duration: string) => {
      const args = [...first, 'sandbox', 'clock', 'advance', duration, '--base-url', base];
      const ran = once(spawn(program, args, { env, stdio: 'ignore' }), 'close');
      const [code] = (await ran) as [number];
      if (code !== 0) throw new Error(`the sandbox did not take ${duration}`);
    },
    stop: async (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal);
      return (await ended)[0];
    },
  };
}

interface Page {
  readonly events: readonly { readonly data: Told }[];
  readonly next_cursor: string | null;
}

async function readFeed(read: <T>(path: string) => Promise<T>): Promise<Told[]> {
  const told: Told[] = [];
  for (let cursor = ''; ;) {
    const page: Page = await read<Page>(`/v2/events?limit=200${cursor}`);
    told.push(...page.events.map(({ data }) => data));
    if (page.events.length === 0) return told;
    cursor = `&cursor=${page.next_cursor ?? ''}`;
  }
}
