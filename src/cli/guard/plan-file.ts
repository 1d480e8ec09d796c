/** Opens a plan for a command: read once into a private copy, so that what was looked at is what is checked, signed and sent. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type ReadPlan, readPlan } from '../../guard/plan/reading.js';
import type { PlanRow } from '../../guard/plan/row.js';
import { PlanDamaged } from '../../guard/plan/spelling.js';
import { Failure } from '../../runtime/failure.js';
import { onDisk } from '../../runtime/folders.js';
import type { Ports } from '../../runtime/ports.js';
import { makeTemporaryFolder } from '../../runtime/temporary-folder.js';
import { openFileSource, type Undone } from '../../sheet/file-source.js';

export interface OpenPlan extends ReadPlan {
  /** As it was named. */
  readonly path: string;
  /** The path of the copy, whose bytes are those of the digest. */
  readonly copy: string;
  /** A private folder for whatever else the work needs, gone with it. */
  readonly folder: string;
}

export interface PlanReading {
  readonly undone: Undone;
  readonly onRow?: (row: PlanRow) => void;
}

/** @throws Failure `bad_file` (`plan_damaged`, `plan_newer`), `local_state` */
export async function withPlan<T>(
  path: string,
  { undone, onRow }: PlanReading,
  { random }: Pick<Ports, 'random'>,
  work: (plan: OpenPlan) => Promise<T>,
): Promise<T> {
  const folder = makeTemporaryFolder('svc-plan-', random);
  try {
    const copy = join(folder.path, 'plan');
    const plan = await copied(path, copy, { undone, ...(onRow === undefined ? {} : { onRow }) });
    return await work({ ...plan, path, copy, folder: folder.path });
  } finally {
    folder.remove();
  }
}

async function copied(path: string, copy: string, reading: PlanReading): Promise<ReadPlan> {
  const file = onDisk('written', copy, () => openSync(copy, 'wx', 0o600));
  try {
    return await readPlanFile(path, reading, (chunk) => {
      onDisk('written', copy, () => {
        for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at);
      });
    });
  } finally {
    closeSync(file);
  }
}

/**
 * Reads a plan where it stands, without a copy: for what is only looked at.
 * @throws Failure as `withPlan`
 */
export async function readPlanFile(
  path: string,
  { undone, onRow }: PlanReading,
  onBytes: (chunk: Uint8Array) => void = () => undefined,
): Promise<ReadPlan> {
  const source = await openFileSource(path, undone, 'a regular file');
  const chunks = async function* (): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of source.bytes()) {
      onBytes(chunk);
      yield chunk;
    }
  };
  try {
    return await readPlan(chunks(), onRow);
  } catch (error) {
    throw error instanceof PlanDamaged ? damagedPlan(path, undone, error) : error;
  } finally {
    await source.close();
  }
}

function damagedPlan(path: string, undone: Undone, error: PlanDamaged): Failure {
  const { code, line, why } = error;
  const where = line === null ? path : `Line ${line} of ${path}`;
  const advice =
    code === 'plan_newer'
      ? 'Update svc on this machine.'
      : 'A plan counts only as svc wrote it. Get the file again, or make a new plan.';
  return new Failure('bad_file', `${where} ${why}. ${undone}`, {
    code,
    details: [{ field: line === null ? 'plan' : `line ${line}`, code: 'invalid' }],
    advice: [advice],
    cause: error,
  });
}
