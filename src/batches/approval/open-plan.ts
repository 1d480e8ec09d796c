/** Copies a plan into a private file, because the same bytes must be shown, checked, signed and sent. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type ReadPlan, readPlan, type PlanRow } from './plan/read.js';
import { PlanDamaged } from './plan/format.js';
import { openTogether } from '../../runtime/disposal.js';
import { Failure } from '../../runtime/failure.js';
import { onDisk } from '../../runtime/folders.js';
import type { Ports } from '../../runtime/ports.js';
import { makeTemporaryFolder } from '../../runtime/temporary-folder.js';
import { openFileSource } from '../../sheet/file-source.js';

export interface OpenPlan extends ReadPlan {
  readonly path: string;
  readonly copy: string;
  readonly folder: string;
}

export function openPlan(
  path: string,
  ports: Pick<Ports, 'random'>,
  onRow?: (row: PlanRow) => void,
): Promise<OpenPlan & AsyncDisposable> {
  return copyPlan(path, (copy) => readPlanFile(path, onRow, copy), ports);
}

export async function copyPlan(
  path: string,
  read: (copy: string) => Promise<ReadPlan>,
  { random }: Pick<Ports, 'random'>,
): Promise<OpenPlan & AsyncDisposable> {
  return openTogether(async (use) => {
    const folder = makeTemporaryFolder('svc-plan-', random);
    use({ [Symbol.dispose]: () => folder.remove() });
    const copy = join(folder.path, 'plan');
    return { ...(await read(copy)), path, copy, folder: folder.path };
  });
}

export async function* copyChunks(chunks: AsyncIterable<Uint8Array>, copy: string) {
  const file = onDisk('written', copy, () => openSync(copy, 'wx', 0o600));
  try {
    for await (const chunk of chunks) {
      onDisk('written', copy, () => {
        for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at);
      });
      yield chunk;
    }
  } finally {
    closeSync(file);
  }
}

export async function readPlanFile(path: string, onRow?: (row: PlanRow) => void, copy?: string) {
  const source = await openFileSource(path, NOTHING_SENT, 'a regular file');
  try {
    const chunks = source.bytes();
    return await readPlan(copy === undefined ? chunks : copyChunks(chunks, copy), onRow);
  } catch (error) {
    if (!(error instanceof PlanDamaged)) throw error;
    const { code, line, why } = error;
    const advice =
      code === 'plan_newer'
        ? 'Update svc on this machine.'
        : 'A plan counts only as svc wrote it. Get the file again, or make a new plan.';
    const place = line === null ? path : `Line ${line} of ${path}`;
    throw new Failure('bad_file', `${place} ${why}. ${NOTHING_SENT}`, {
      ...{ code, advice: [advice], cause: error },
      details: [{ field: line === null ? 'plan' : `line ${line}`, code: 'invalid' }],
    });
  } finally {
    await source.close();
  }
}

const NOTHING_SENT = 'Nothing was sent.';
