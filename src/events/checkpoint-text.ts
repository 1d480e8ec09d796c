/** A checkpoint as text: what is in the file, and how damage shows. Pure. */
import { createHash } from 'node:crypto';
import type { Environment } from '../contract/access.js';
import type { Position } from './walk.js';

/** Raised with every change that an older program could not read. */
const CHECKPOINT_VERSION = 1;

/** Whose feed a position is in. */
export interface FeedPlace {
  readonly environment: Environment;
  readonly address: string;
}

export interface Checkpoint extends FeedPlace {
  /** Counts the commits: of two generations the higher one is the newer. */
  readonly sequence: number;
  /** The API key that read the feed, masked. */
  readonly keyMask: string;
  readonly position: Position;
}

export type CheckpointRead =
  | { readonly kind: 'whole'; readonly checkpoint: Checkpoint }
  /** Not the bytes that were written, whatever happened to them. */
  | { readonly kind: 'damaged' }
  /** Whole, and of a version that this program does not know. */
  | { readonly kind: 'newer' };

/** One line of JSON whose last member is the check sum of all before it. */
export function writeCheckpoint({ environment, address, sequence, keyMask, position }: Checkpoint): string {
  const { cursor, ids } = position;
  const content = {
    version: CHECKPOINT_VERSION,
    environment,
    address,
    key: keyMask,
    sequence,
    cursor,
    ids,
  };
  return `${JSON.stringify({ ...content, check_sum: sumOf(content) })}\n`;
}

export function readCheckpoint(bytes: Uint8Array): CheckpointRead {
  const value = parse(bytes);
  if (value === null) return { kind: 'damaged' };
  const { check_sum: sum, ...content } = value;
  if (sum !== sumOf(content)) return { kind: 'damaged' };
  if (content['version'] !== CHECKPOINT_VERSION) return { kind: 'newer' };
  const { environment, address, key, sequence, cursor, ids } = content as unknown as Content;
  return {
    kind: 'whole',
    checkpoint: { environment, address, sequence, keyMask: key, position: { cursor, ids } },
  };
}

/** What the check sum vouches for: nobody but this file writes it. */
interface Content {
  readonly environment: Environment;
  readonly address: string;
  readonly key: string;
  readonly sequence: number;
  readonly cursor: string | null;
  readonly ids: readonly string[];
}

function sumOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

function parse(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    // The whole text and its newline: a file cut by one byte is a damaged one.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value = text.endsWith('}\n') ? (JSON.parse(text) as unknown) : null;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
