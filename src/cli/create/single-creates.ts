/** Single creates of the journal as they count for a company: whose they are is asked of the service once for each other API key. */
import type { SingleCreate } from '../../bulk/check/evidence.js';
import { isUuid } from '../../contract/notation.js';
import type { Kinship } from '../../journal/precedence.js';
import type { KeptRequest } from '../../journal/request.js';
import type { Mirrors, Place } from '../../mirror/mirror.js';

/** What shows whose a request is. */
export interface KinshipWorld {
  /** Of the company that asks. */
  readonly place: Place;
  /** Of every company; null where there are none. */
  readonly mirrors: () => Promise<Mirrors | null>;
  /** The operation that this API key's requests became last; null where none is known. */
  readonly newestOf: (keyPrint: string) => Promise<string | null>;
  /** Whether the company that asks has that operation. */
  readonly read: (operation: string) => Promise<'there' | 'absent' | 'unknown'>;
}

export class SingleCreates {
  readonly #world: KinshipWorld;
  readonly #known = new Map<string, Kinship>();

  constructor(world: KinshipWorld) {
    this.#world = world;
  }

  /** @throws what the world throws */
  async of(requests: readonly KeptRequest[]): Promise<SingleCreate[]> {
    const singles: SingleCreate[] = [];
    for (const request of requests) {
      const { idempotencyKey: key, row, series, state, referenceMark, amount, currency } = request;
      const { accountTail, firstLeftMs, settled } = request;
      singles.push({
        ...{ key, row, series, amount, currency, accountTail },
        atMs: settled === null ? firstLeftMs : settled.createdAtMs,
        isSettled: state === 'settled',
        isForgotten: state === 'forgotten' || request.mayNotRepeat,
        isRecorded: state === 'recorded',
        operation: settled?.operation ?? null,
        status: settled?.status ?? null,
        referenceMark: Buffer.from(referenceMark ?? []).toString('hex'),
        isOtherCompany: (await this.#ask(request)) === 'other',
      });
    }
    return singles;
  }

  /** As far as it was found out by now. */
  kinshipOf(request: Pick<KeptRequest, 'origin' | 'keyPrint'>): Kinship {
    if (request.keyPrint === this.#world.place.keyPrint) return 'same';
    return this.#known.get(nameOf(request)) ?? 'unknown';
  }

  async #ask(request: KeptRequest): Promise<Kinship> {
    if (this.kinshipOf(request) !== 'unknown') return this.kinshipOf(request);
    const kinship = (await this.#byMirrors(request)) ?? (await this.#byOperation(request));
    this.#known.set(nameOf(request), kinship);
    return kinship;
  }

  /** Null where the mirrors do not know both. */
  async #byMirrors({ environment, origin, keyPrint }: KeptRequest): Promise<Kinship | null> {
    const mirrors = await this.#world.mirrors();
    if (mirrors === null) return null;
    const [theirs, ours] = await Promise.all([
      mirrors.companyOf({ environment, origin, keyPrint }),
      mirrors.companyOf(this.#world.place),
    ]);
    if (theirs === null || ours === null) return null;
    return theirs.id === ours.id ? 'same' : 'other';
  }

  /** What this key does not see is another company's. */
  async #byOperation({ settled, keyPrint }: KeptRequest): Promise<Kinship> {
    const operation = settled?.operation ?? (await this.#world.newestOf(keyPrint));
    if (operation === null || !isUuid(operation)) return 'unknown';
    const answer = await this.#world.read(operation);
    return answer === 'unknown' ? answer : answer === 'there' ? 'same' : 'other';
  }
}

function nameOf({ origin, keyPrint }: Pick<KeptRequest, 'origin' | 'keyPrint'>): string {
  return `${origin} ${keyPrint}`;
}
