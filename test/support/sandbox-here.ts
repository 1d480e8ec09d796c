import { afterEach } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import type { Result, RunOptions, World } from './svc.js';

export function sandboxesOf(home: World) {
  const stopping: (() => Promise<Result>)[] = [];
  afterEach(async () => {
    await Promise.all(stopping.splice(0).map((stop) => stop()));
  });
  return async (flags = '--json', options: RunOptions = {}) => {
    const controller = new AbortController();
    const { promise: first, resolve: onData } = Promise.withResolvers<string>();
    const more = { ...options, signal: controller.signal, wire: true, onData };
    const ended = home.svc(`sandbox start --port 0 ${flags}`, more);
    const stop = (): Promise<Result> => {
      controller.abort(new Stopped('SIGTERM', 143));
      return ended;
    };
    stopping.push(stop);
    const said = await Promise.race([first, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    const ready = (said.startsWith('{') ? JSON.parse(said) : {}) as Record<string, string>;
    const env = { SVC_BASE_URL: ready['base_url'] ?? '', SVC_API_KEY: ready['api_key'] ?? '' };
    return {
      ...{ said, ready, stop },
      at: { env, wire: true },
    };
  };
}

export type SandboxHere = Awaited<ReturnType<ReturnType<typeof sandboxesOf>>>;
