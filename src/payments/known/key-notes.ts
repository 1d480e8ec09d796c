import { bodyMembersOf, newIdempotencyKey, type PreparedRequest } from '../../client/request.js';
import type { Attempt } from '../../contract/attempt.js';
import type { KeyNote, UsedKey } from '../../contract/key-use.js';
import type { Direction } from '../../contract/operation.js';
import type { Journal, NotedKey } from '../../storage/journal/journal.js';
import { Failure } from '../../runtime/failure.js';
import type { SessionRun } from '../../command/command.js';

export class KeyNotes {
  #remembers: Promise<boolean> | null = null;

  constructor(
    private readonly journal: Journal,
    private readonly place: Omit<NotedKey, 'idempotencyKey'>,
    private readonly run: SessionRun,
  ) {}

  async note(key: string, kind: KeyNote['kind'], body: Uint8Array): Promise<void> {
    const note = { kind, body, notedAtMs: this.run.session.clock.now() };
    await this.journal.noteKey({ ...this.place, idempotencyKey: key }, note);
  }

  of(key: string): Promise<KeyNote[]> {
    return this.journal.keyNotes({ ...this.place, idempotencyKey: key });
  }

  async usedNote(key: string): Promise<KeyNote | undefined> {
    return (await this.of(key)).find(({ kind }) => kind === 'used');
  }

  async lookUpUsed(
    key: string,
    direction: Direction,
    keyUse: Pick<UsedKey, 'body' | 'hasOpenAttempt' | 'isExplained'>,
  ): Promise<UsedKey> {
    return {
      ...keyUse,
      notes: await this.of(key),
      nowMs: this.run.session.clock.now(),
      resend: (bytes) => this.#send(direction, key, bytes),
      remembersRefusals: (refused) => (this.#remembers ??= this.#askMemory(direction, refused)),
    };
  }

  /** A service that remembers the keys of refused requests answers 400 to the first request and 409 to the second. */
  async #askMemory(direction: Direction, refusedBody: Uint8Array): Promise<boolean> {
    const members = bodyMembersOf(refusedBody);
    if (members === null) return false;
    const key = newIdempotencyKey(this.run.ports.random);
    const statuses: number[] = [];
    for (const reference of ['svc-probe-1', 'svc-probe-2']) {
      const body = Buffer.from(JSON.stringify({ ...members, amount: '0', reference }));
      const attempt = await this.#send(direction, key, body).catch(nullIfForbidden);
      statuses.push(attempt?.kind === 'refused' ? attempt.answer.status : 0);
    }
    return statuses[0] === 400 && statuses[1] === 409;
  }

  async #send(direction: Direction, key: string, body: Uint8Array): Promise<Attempt> {
    const { client, guard } = this.run.session;
    const prepared: PreparedRequest = client.prepare(`${direction}s.create`, { body }, key);
    const permit = await guard.permit(prepared.request, { isAdmitted: true });
    const { attempts } = await client.send(prepared, { attemptsMax: 2, permit });
    return attempts.at(-1) ?? Promise.reject(new TypeError('a request has an attempt'));
  }
}

function nullIfForbidden(error: unknown): null {
  if (error instanceof Failure && error.kind === 'unsafe') return null;
  throw error;
}
