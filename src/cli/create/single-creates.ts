/** Single creates of the journal as they count for a company: whose they are is asked of the service once for each other API key. */
import type { SingleCreate } from '../../bulk/check/evidence.js';
import { isUuid } from '../../contract/notation.js';
import type { CompanyMatch } from '../../journal/precedence.js';
import type { KeptRequest } from '../../journal/request.js';
import type { Company, Mirrors, Place } from '../../mirror/mirror.js';

/** What shows whose a request is. */
export interface CompanyWorld {
  /** Of the company that asks. */
  readonly place: Place;
  /** The company that asks, where no key shows it. */
  readonly ours?: () => Promise<Company | null>;
  /** Of every company; null where there are none. */
  readonly mirrors: () => Promise<Mirrors | null>;
  /** Of this API key's requests the last that became an operation; null where none is known. */
  readonly newestOf: (keyPrint: string) => Promise<KeptRequest | null>;
  /** Whether the company that asks has that operation. */
  readonly read: (operation: string) => Promise<'there' | 'absent' | 'unknown'>;
}

export class SingleCreates {
  readonly #world: CompanyWorld;
  readonly #known = new Map<string, CompanyMatch>();

  constructor(world: CompanyWorld) {
    this.#world = world;
  }

  /** @throws what the world throws */
  async of(requests: readonly KeptRequest[]): Promise<SingleCreate[]> {
    const singles: SingleCreate[] = [];
    for (const request of requests) {
      const { idempotencyKey: key, row, follows, generation, sinceMs, amount, currency } = request;
      const { accountTail, state, referenceMark, firstLeftMs, settled } = request;
      singles.push({
        ...{ key, row, follows, generation, sinceMs, amount, currency, accountTail },
        atMs: settled === null ? firstLeftMs : settled.createdAtMs,
        isSettled: state === 'settled',
        isForgotten: state === 'forgotten' || request.mayNotRepeat,
        isRecorded: state === 'recorded',
        operation: settled?.operation ?? null,
        status: settled?.status ?? null,
        referenceMark: Buffer.from(referenceMark ?? []).toString('hex'),
        company: await this.#ask(request),
      });
    }
    return singles;
  }

  /** As far as it was found out by now. */
  companyMatchOf(request: Pick<KeptRequest, 'origin' | 'keyPrint'>): CompanyMatch {
    if (request.keyPrint === this.#world.place.keyPrint) return 'same';
    return this.#known.get(nameOf(request)) ?? 'unknown';
  }

  async #ask(request: KeptRequest): Promise<CompanyMatch> {
    if (this.companyMatchOf(request) !== 'unknown') return this.companyMatchOf(request);
    const { place, ours: known = () => this.#companyOf(place) } = this.#world;
    const [theirs, ours] = await Promise.all([this.#companyOf(request), known()]);
    const isOne = theirs !== null && theirs.id === ours?.id;
    // What others can write in proves nothing alone.
    const isProved = isOne && (await this.#world.mirrors())?.isShared === false;
    const match = isProved ? 'same' : await this.#byOperation(request, theirs);
    this.#known.set(nameOf(request), match);
    return match;
  }

  /** Null where no mirror knows it. */
  async #companyOf({ environment, origin, keyPrint }: Place): Promise<Company | null> {
    const mirrors = await this.#world.mirrors();
    return mirrors === null ? null : mirrors.companyOf({ environment, origin, keyPrint });
  }

  /**
   * What this key does not see is another company's. Two mirrors alone say nothing: those of one company are two where the first was empty when
   * the second began.
   */
  async #byOperation({ settled, keyPrint }: KeptRequest, theirs: Company | null): Promise<CompanyMatch> {
    const { newestOf, read } = this.#world;
    const operation =
      settled?.operation ??
      (await newestOf(keyPrint))?.settled?.operation ??
      (theirs === null ? null : await this.#newestIn(theirs));
    if (operation === null || !isUuid(operation)) return 'unknown';
    const answer = await read(operation);
    return answer === 'unknown' ? answer : answer === 'there' ? 'same' : 'other';
  }

  /** What others can write in proves nobody to be another company. */
  async #newestIn(company: Company): Promise<string | null> {
    const mirrors = await this.#world.mirrors();
    if (mirrors === null || mirrors.isShared) return null;
    return (await mirrors.of(company).newest())?.id ?? null;
  }
}

function nameOf({ origin, keyPrint }: Pick<KeptRequest, 'origin' | 'keyPrint'>): string {
  return `${origin} ${keyPrint}`;
}
