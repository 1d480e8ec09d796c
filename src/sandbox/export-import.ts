import type { GlobalFlags, Run } from '../command/command.js';
import type { Texts } from '../command/line/flags.js';
import { jsonIn } from '../contract/json.js';
import { Failure } from '../runtime/failure.js';
import type { Ports } from '../runtime/ports.js';
import type { HttpAnswer } from '../runtime/transport.js';
import { controlRequest } from './message.js';
import type { Sandbox } from './sandbox.js';
import { openSource } from '../sheet/file-source.js';
import { callControl } from './call-control.js';

export async function exportState(run: Run<GlobalFlags & { readonly schema: boolean }>): Promise<void> {
  // The output is JSON even at a terminal, because a table could not be imported.
  const flags = { ...run.flags, json: run.flags.output === undefined };
  if (!run.flags.schema) return callControl({ ...run, flags }, { method: 'GET', path: '/state' });
  const { stateSchema } = await import('./state/document.js');
  await run.ports.output.write(stateSchema());
}

export async function importState(run: Run & { readonly args: Texts<'file'> }): Promise<void> {
  const bytes = await readStateFile(run.ports, run.args.file ?? '-');
  const { forgetSandbox } = await import('./reset.js');
  const request = { method: 'PUT', path: '/state', bytes } as const;
  await callControl(run, request, { after: (connection) => forgetSandbox(run, connection) });
}

export async function readStateFile({ input, random }: Pick<Ports, 'input' | 'random'>, path: string) {
  const { STATE_MAX_BYTES, STATE_TOO_LARGE } = await import('./control/call.js');
  const { loadStateReader } = await import('./control/state.js');
  const { problemLines, readState } = await loadStateReader();
  const source = await openSource(path, input, 'Nothing was changed.');
  const name = path === '-' ? 'Standard input' : path;
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of source.bytes()) {
      length += chunk.length;
      if (length > STATE_MAX_BYTES)
        throw unusableFailure(`${name} is too large. ${STATE_TOO_LARGE} Nothing was changed.`);
      // The chunk is copied, because the source reuses its memory.
      chunks.push(Uint8Array.from(chunk));
    }
  } finally {
    await source.close();
  }
  const bytes = Buffer.concat(chunks);
  const { problems } = readState(bytes, () => random.uuid());
  if (problems === null) return bytes;
  const text = `${name} cannot be used as the state of a sandbox. Nothing was changed.`;
  throw unusableFailure(text, problemLines(problems));
}

const unusableFailure = (head: string, items: readonly string[] = []): Failure =>
  new Failure('bad_file', head, { items, concernsMoney: false });

export type ControlCaller = (
  method: 'GET' | 'PUT',
  path: string,
  body: Uint8Array | null,
) => Answer | Promise<Answer>;
type Answer = Pick<HttpAnswer, 'status' | 'body'>;

export const controlOf =
  ({ handle }: Pick<Sandbox, 'handle'>): ControlCaller =>
  (method, path, body) =>
    handle(controlRequest(method, path, body ?? new Uint8Array()));

/** The state must come from `readStateFile`. Resolves to the key of the state. */
export async function seedSandbox(control: ControlCaller, state: Uint8Array): Promise<string> {
  const { SEED_QUERY } = await import('./control/call.js');
  const { status, body } = await control('PUT', `state?${SEED_QUERY}`, state);
  const answer = jsonIn(body) as { readonly api_key: string; readonly error: { readonly message: string } };
  if (status === 200) return answer.api_key;
  throw unusableFailure(`The state does not fit this sandbox. Nothing was changed.`, [answer.error.message]);
}
