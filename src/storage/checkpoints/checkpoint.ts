import { Failure, usageFailure } from '../../runtime/failure.js';
import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import { createHash } from 'node:crypto';
import type { Environment } from '../../contract/access.js';

export interface Position {
  readonly cursor: string | null;
  readonly ids: readonly string[];
  readonly last?: string | null | undefined;
}

export interface OpenCheckpoint {
  readonly position: Position | null;
  readonly notes: readonly string[];
  /** Resolves once the position is durable. Rejects if another run has taken the checkpoint over. */
  save(position: Position): Promise<void>;
}

export interface NamedCheckpoint extends FeedPlace {
  readonly name: string;
  readonly keyMask: string;
}

export function requireCheckpointName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw usageFailure('The name of a checkpoint has 1 to 64 letters, digits, dots, dashes and underscores.');
}

export function requireSamePlace(
  checkpoint: FeedPlace,
  current: FeedPlace & { readonly name: string },
): void {
  if (checkpoint.address === current.address && checkpoint.environment === current.environment) return;
  const text =
    `Checkpoint ${current.name} belongs to ${checkpoint.address} (${checkpoint.environment}), but this command goes to ` +
    `${current.address} (${current.environment}). Nothing was sent. Use that address, or another --checkpoint.`;
  throw new Failure('unsafe', text, { code: 'other_place' });
}

export function keyNotes(
  checkpoint: Pick<Checkpoint, 'keyMask'>,
  { name, keyMask }: NamedCheckpoint,
): string[] {
  if (checkpoint.keyMask === keyMask) return [];
  return [`Checkpoint ${name} was written with another API key (${checkpoint.keyMask}).`];
}

export function newerCheckpointFailure(name: string): Failure {
  const text = `Checkpoint ${name} was written by a newer version of svc. Update svc, or use another --checkpoint.`;
  return new Failure('local_state', text);
}

const FORMAT_VERSION = 1;

export interface FeedPlace {
  readonly environment: Environment;
  readonly address: string;
}

export interface Checkpoint extends FeedPlace {
  readonly sequence: number;
  readonly keyMask: string;
  readonly position: Position;
}

export type CheckpointRead =
  | { readonly kind: 'whole'; readonly checkpoint: Checkpoint }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'newer' };

export function writeCheckpoint({ environment, address, sequence, keyMask, position }: Checkpoint): string {
  const { cursor, ids, last } = position;
  const content = {
    version: FORMAT_VERSION,
    environment,
    address,
    key: keyMask,
    sequence,
    cursor,
    ids,
    last,
  };
  return `${JSON.stringify({ ...content, check_sum: checkSumOf(content) })}\n`;
}

export function readCheckpoint(bytes: Uint8Array): CheckpointRead {
  const text = Buffer.from(bytes).toString('utf8');
  const value = text.endsWith('}\n') ? jsonIn(text) : undefined;
  if (!isObject(value)) return { kind: 'damaged' };
  const { check_sum: sum, ...content } = value;
  if (sum !== checkSumOf(content)) return { kind: 'damaged' };
  if (content['version'] !== FORMAT_VERSION) return { kind: 'newer' };
  const { environment, address, key, sequence, cursor, ids, last } = content as unknown as CheckpointContent;
  return {
    kind: 'whole',
    checkpoint: { environment, address, sequence, keyMask: key, position: { cursor, ids, last } },
  };
}

type CheckpointContent = Omit<Checkpoint, 'keyMask' | 'position'> & Position & { readonly key: string };

function checkSumOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
