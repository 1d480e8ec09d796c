/** A named checkpoint, wherever it is kept: what it holds, and for whom it is. */
import { Failure } from '../runtime/failure.js';
import type { Checkpoint, FeedPlace } from './checkpoint-text.js';
import type { Position } from './walk.js';

export interface OpenCheckpoint {
  /** Where the last run left off; null for a name that was never used. */
  readonly position: Position | null;
  /** For standard error: what was found that a person should know. */
  readonly notes: readonly string[];
  /** Durable when it resolves. @throws Failure `local_state`; `locked` where another run has it meanwhile */
  save(position: Position): Promise<void>;
}

/** A checkpoint, and who asks for it. */
export interface NamedCheckpoint extends FeedPlace {
  readonly name: string;
  /** The API key in use, masked. */
  readonly keyMask: string;
}

/** A name that is a file's name everywhere and no path. @throws Failure `usage` */
export function requireCheckpointName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw new Failure(
    'usage',
    'The name of a checkpoint has 1 to 64 letters, digits, dots, dashes and underscores. Nothing was sent.',
  );
}

/** @throws Failure `unsafe` for another address or environment */
export function requireSamePlace(checkpoint: FeedPlace, here: FeedPlace & { readonly name: string }): void {
  if (checkpoint.address === here.address && checkpoint.environment === here.environment) return;
  throw new Failure(
    'unsafe',
    `Checkpoint ${here.name} belongs to ${checkpoint.address} (${checkpoint.environment}), but this command goes to ` +
      `${here.address} (${here.environment}). Nothing was sent. Use that address, or another --checkpoint.`,
    { code: 'other_place' },
  );
}

/** What a person reads where another key goes on with it. */
export function keyNotes(
  checkpoint: Pick<Checkpoint, 'keyMask'>,
  { name, keyMask }: NamedCheckpoint,
): string[] {
  if (checkpoint.keyMask === keyMask) return [];
  return [`Checkpoint ${name} was written with another API key (${checkpoint.keyMask}).`];
}

export function newerCheckpoint(name: string): Failure {
  return new Failure(
    'local_state',
    `Checkpoint ${name} was written by a newer version of svc. Update svc, or use another --checkpoint.`,
  );
}
